"""Duplicate groups, created in one call and told of when they are over."""

from __future__ import annotations

import secrets
import time
from contextlib import ExitStack
from typing import Any, Final

from flask import Response

from api import auth
from api.blueprint import Blueprint
from api.describe import LOCATION, NOT_ADMITTED, Answer, describe
from api.idempotency import once
from api.problems import Problem
from api.rates import Of
from api.resources.matches import bots_of, own_seat, seat_of
from api.schemas.groups import NewGroupSchema
from api.services import services
from api.wire import answer
from engine.game import BadTable
from engine.quoting import quoted
from league.group_result import group_result
from league.outcomes import spoilt
from league.seatings import once_only, rotated
from league.tokens import Scope
from referee.after_commit import Hook
from referee.clock import ClockRule
from referee.group import NO_PROGRESS, Group, GroupKind, GroupStatus, Progress
from referee.ids import random_text
from referee.instants import text_of
from referee.record import preset_of
from referee.service import admit
from referee.table import table_of

blueprint = Blueprint("groups", __name__, description="Duplicate groups: the same deck at several tables.")

Body = dict[str, Any]
_ID: Final = 27


@blueprint.route("/v1/groups", methods=["POST"])
@describe(
    "createGroup",
    {201: Answer("The group", "Group", headers=LOCATION)},
    scope="challenge",
    problems=["no_such_game", "no_such_bot", "not_your_bot", "bot_unavailable", "bad_table", *NOT_ADMITTED],
    has_body=True,
    keyed=1,
)
@blueprint.arguments(NewGroupSchema)
def create_group(body: Body) -> Response:
    """A casual duplicate group, with all of its matches at once.

    Its bots find their matches among their turns, one deal each (King: its twelve), with suits relabelled and other
    bots' names hidden. Nothing else of it is told before the last match is over. A bot that does not come is the end of
    the group before the first deal of any of its matches, and forfeits its seat after it.
    """
    token = auth.caller(Scope.CHALLENGE, Of.CREATIONS)

    def create(ident: str | None) -> Response:
        admit(services().service)
        kind = GroupKind(body["kind"])
        bots = [bot for bot in bots_of([*body["bots"], *body["against"]], body["game"], token) if bot]
        count = len(body["bots"])
        mine = own_seat(list(bots), token)
        if kind is GroupKind.ROTATED:
            if body["against"]:
                raise BadTable("against", body["against"], "nothing where the kind is rotated")
            if len({bot.id for bot in bots}) != count:
                raise BadTable("bots", body["bots"], "different bots")
            tables = rotated(count, body["orders"])
        else:
            if not all(bot.house for bot in bots[count:]):
                raise BadTable("against", body["against"], "house bots")
            if len({bot.id for bot in bots[:count]}) != count:
                raise BadTable("bots", body["bots"], "different bots")
            tables = once_only(count, body["seat"], len(body["against"]))
        admission, clock = services().admission, ClockRule(**body["clock"])
        for company in {frozenset(table) for table in tables}:
            seated = [bots[number] for number in sorted(company)]
            admission.check(seated, body["game"], clock, token.name.partition("/")[0])
        group = Group(
            id="g" + (random_text(_ID - 1) if ident is None else ident[2:]),
            kind=kind,
            game=body["game"],
            options=body["options"],
            bots=tuple(seat_of(bot) for bot in bots),
            tables=tables,
            entropy=tuple(body["entropy"] if number == mine else None for number in range(len(bots))),
            clock=clock,
            dealer=body["dealer"],
            secret=secrets.token_bytes(32),
            created=int(time.time() * 1000),
        )
        with ExitStack() as places:
            for slot, table in enumerate(tables):
                match = group.match_id(slot, 0)
                places.enter_context(admission.reserved(match, [bots[number] for number in table]))
            group = services().groups.create(group)
        seen = services().after.run(Hook.VIEW, lambda: _view(group), _of_progress(group, NO_PROGRESS))
        return answer(seen, 201, {"Location": f"/v1/groups/{group.id}"})

    return once(token.id, create)


@blueprint.route("/v1/groups/<group>")
@describe("getGroup", {200: Answer("The group", "Group")}, problems=["not_found", "no_such_group"])
def get_group(group: str) -> Response:
    """A group; when it is over, its matches and what came of it."""
    if len(group) > _ID:
        raise Problem("no_such_group", f"there is no group {quoted(group[:_ID])}")
    return answer(_view(services().groups.get(group)))


def _view(group: Group) -> Body:
    (progress,) = services().groups.store.progress([group.id])
    return _of_progress(group, progress)


def _of_progress(group: Group, progress: Progress) -> Body:
    game = table_of(group.game, len(group.tables[0]), group.options)
    over = progress.status is not GroupStatus.RUNNING
    matches = services().groups.matches(group) if over else None
    return {
        "id": group.id,
        "kind": group.kind,
        "game": group.game,
        "options": group.options,
        "preset": preset_of(game),
        "clock": group.clock.to_json(),
        "ladder": group.ladder,
        "round": group.round,
        "status": progress.status,
        "created": text_of(group.created),
        "ended": None if progress.ended is None or not over else text_of(progress.ended),
        "matches": matches,
        "result": _result(matches) if matches and progress.status is GroupStatus.OVER else None,
    }


def _result(matches: list[str]) -> Body | None:
    referee = services().referee
    lives = [live for live in referee.look_at(matches) if live is not None and live.finished]
    if len(lives) < len(matches):
        return None  # a match is unreadable, and without it there is no result
    records = [referee.record(live).to_json() for live in lives if not live.void]
    return group_result(records).to_json() if records and not spoilt(lives) else None
