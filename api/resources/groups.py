"""Duplicate groups."""

from __future__ import annotations

import secrets
from typing import Any, Final

from api.blueprint import Blueprint
from api.contract.describe import CHALLENGE, Created, ResponseSpec, created
from api.idempotency import recorded_before
from api.problems import Problem
from api.resources.matches import bots_of, own_seat
from api.schemas.groups import GroupSchema, NewGroupSchema
from api.schemas.responses import dump
from api.services import services
from engine.quoting import quoted
from league.accounts.model import Bot
from league.accounts.tokens import Token
from league.challenges import create_group as create_casual_group
from league.challenges import group_tables
from records.ids import random_text
from records.match.clock import ClockRule
from records.match.record import preset_of
from records.match.session import table_of
from records.results.group_report import GroupReport, group_report
from records.results.group_result import is_spoilt
from referee.after_commit import AfterCommitStep
from referee.groups.model import NO_PROGRESS, Group, GroupKind, GroupProgress, GroupStatus
from referee.service.admission import admit

blueprint = Blueprint("groups", __name__, description="Duplicate groups: the same deck at several tables.")

Body = dict[str, Any]
_ID: Final = 27


@blueprint.serve(
    "POST /v1/groups",
    created("The group", "Group"),
    scope="challenge",
    problems=CHALLENGE,
    body=NewGroupSchema,
    keyed=1,
)
def create_group(body: Body, caller: Token, seed: str | None) -> object:
    """Create a casual duplicate group with all of its matches.

    The bots find the matches among their turns. Each match has one deal (in King, twelve), with suits
    relabelled and other bots' names hidden. Nothing else is shown until the last match ends. If a bot does not
    show up, the group is aborted before the first deal of any match; after that the bot forfeits its seat.
    """
    admit(services().service)
    new, bots = _new(body, caller, seed)
    group = create_casual_group(new, bots, services().eligibility, services().groups)
    view = services().after_commit.run(
        AfterCommitStep.VIEW, lambda: _view(group), _of_progress(group, NO_PROGRESS)
    )
    return Created(view, f"/v1/groups/{group.id}")


@blueprint.serve("GET /v1/groups/<group>", ResponseSpec("The group", "Group"))
def get_group(group: str) -> object:
    """Get a duplicate group.

    The matches and the result are shown when the group has ended.
    """
    if len(group) > _ID:
        raise Problem("no_such_group", f"there is no group {quoted(group[:_ID])}")
    return _view(services().groups.get(group))


def _new(body: Body, token: Token, ident: str | None) -> tuple[Group, list[Bot]]:
    """Return the requested group and its bots. Raise `Problem` for a bot that is unknown or not the caller's to seat,
    and `BadTable` if the bots don't fit the kind of group."""
    bots = [bot for bot in bots_of([*body["bots"], *body["against"]], body["game"], token) if bot]
    count, own, kind = len(body["bots"]), own_seat(list(bots), token), GroupKind(body["kind"])
    group = Group(
        id="g" + (random_text(_ID - 1) if ident is None else ident[2:]),
        kind=kind,
        game=body["game"],
        options=dict(body["options"]),
        bots=tuple(bot.seat for bot in bots),
        tables=group_tables(kind, bots[:count], bots[count:], body["orders"], body["seat"]),
        entropy=tuple(body["entropy"] if number == own else None for number in range(len(bots))),
        clock=ClockRule(**body["clock"]),
        assist=body["assist"],
        dealer=body["dealer"],
        secret=secrets.token_bytes(32),
        created=services().groups.now(),
        since=recorded_before(),
        requested_by=token.owner_name,
    )
    return group, bots


def _view(group: Group) -> Body:
    (progress,) = services().groups.store.progress([group.id])
    return _of_progress(group, progress)


def _of_progress(group: Group, progress: GroupProgress) -> Body:
    game = table_of(group.game, len(group.tables[0]), group.options)
    over = progress.status is not GroupStatus.RUNNING
    matches = services().groups.matches(group) if over else None
    result = _result(matches) if matches and progress.status is GroupStatus.OVER else None
    return dump(
        GroupSchema,
        {
            **group._asdict(),
            "preset": preset_of(game, group.clock, group.assist),
            "status": progress.status,
            "ended": progress.ended if over else None,
            "matches": matches,
            "result": result,
        },
    )


def _result(matches: list[str]) -> GroupReport | None:
    referee = services().referee
    loaded_matches = [loaded for loaded in referee.look_at(matches) if loaded is not None and loaded.finished]
    if len(loaded_matches) < len(matches):
        return None  # a match is unreadable
    records = [referee.record(loaded).to_json() for loaded in loaded_matches if not loaded.void]
    return group_report(records) if records and not is_spoilt(loaded_matches) else None
