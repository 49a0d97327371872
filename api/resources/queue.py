"""Finding a game: the queue, and bulk creation of matches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flask import request

from api import auth
from api.blueprint import Blueprint
from api.contract.describe import CHALLENGE, NOT_ADMITTED, ResponseSpec
from api.idempotency import recorded_before
from api.limits.rates import RateScope, rates
from api.problems import Problem, problem_of
from api.resources.games import known_game
from api.resources.matches import bots_of, requested
from api.schemas.queue import BulkSchema, JoinQueueSchema, QueueEntrySchema
from api.schemas.responses import dump
from api.services import services
from api.wire import answer
from engine.game import BadTable
from engine.match import checked_deals
from league.accounts.model import Bot
from league.accounts.tokens import Token
from league.errors import LeagueError
from league.queue.batches import check_table
from league.queue.model import MatchBatch, MatchTerms, RatingBand
from records.ids import derived_match_id, new_match_id
from records.match.clock import ClockRule
from records.match.new_match import NewMatch
from records.match.record import preset_of
from records.match.session import table_of
from referee.service.admission import admit

blueprint = Blueprint("queue", __name__, description="Finding a game: the queue and bulk creation.")

Body = dict[str, Any]


@blueprint.serve(
    "POST /v1/queue",
    ResponseSpec(
        "The bot joined the queue; its entry may have a match already", QueueEntrySchema, status=201
    ),
    ResponseSpec("The bot waits for the same match already", QueueEntrySchema),
    scope="challenge",
    problems=[
        "wrong_token_kind",
        "no_such_game",
        "bad_table",
        "bot_unavailable",
        "already_queued",
        "overtaken",
        *NOT_ADMITTED,
    ],
    body=JoinQueueSchema,
    keyed=1,
    player=True,
)
def join_queue(body: Body, caller: Token, seed: str | None) -> object:
    """Join the queue for one match.

    The service creates a casual match as soon as enough bots want the same game, options, deals and clock, and
    each rating lies in the others' bands. Every bot must accept the match and the other bots. The bot finds the
    match among its turns. Keep asking for turns: a bot that is offline leaves the queue. A bot has at most one
    waiting entry.
    """
    bot = services().accounts.bot_by_id(auth.bot_of(caller))
    admit(services().service)
    terms, band = _terms(body), RatingBand(body["rating_band"], body["band_growth"])
    services().presence.seen(bot.id)
    wanted = seed or new_match_id()
    entry = services().match_queue.join(bot, terms, band, entropy=body["entropy"], entry_id=wanted)
    return answer(dump(QueueEntrySchema, entry), 201 if entry.id == wanted else 200)


@blueprint.serve(
    "GET /v1/queue", ResponseSpec("The entry", QueueEntrySchema), scope="read", problems=["not_queued"]
)
def get_queue_entry(caller: Token) -> object:
    """Get the bot's last entry in the queue.

    An entry that was matched, left or dropped is kept for a day. Asking counts as being online.
    """
    bot = services().accounts.bot_by_id(auth.bot_of(caller))
    services().presence.seen(bot.id)
    return services().match_queue.last(bot)


@blueprint.serve(
    "DELETE /v1/queue",
    ResponseSpec("The bot's last entry", QueueEntrySchema),
    scope="challenge",
    problems=["wrong_token_kind", "not_queued"],
    player=True,
)
def leave_queue(caller: Token) -> object:
    """Leave the queue.

    A bot that was matched meanwhile keeps its match: the entry is `matched`. Leaving again has no further effect.
    """
    bot = services().accounts.bot_by_id(auth.bot_of(caller))
    return services().match_queue.leave(bot)


@blueprint.serve(
    "POST /v1/match-batches",
    ResponseSpec("The matches", "CreatedMatches", status=201),
    scope="challenge",
    problems=CHALLENGE,
    body=BulkSchema,
    keyed=1,
)
def create_matches(body: Body, caller: Token, seed: str | None) -> object:
    """Create up to 500 casual matches, all or none.

    Each match is one of `POST /v1/matches`, and counts as one request. The refusal of a match names it by its
    place (`matches.17`). Each bot needs a free slot for each of its matches.
    """
    admit(services().service)
    wanted = body["matches"]
    if len(wanted) > 1:
        rates().check(request.environ, RateScope.CREATIONS, caller.subject, len(wanted) - 1)
    batch_id, company = seed or new_match_id(), _companies(wanted, caller)
    since = recorded_before()
    matches = tuple(
        _requested(each, place, company[place], caller, derived_match_id(batch_id, place))._replace(
            since=since
        )
        for place, each in enumerate(wanted)
    )
    ids = services().batches.create(MatchBatch(batch_id, matches), company, caller.owner_name)
    return {"matches": ids}


def _companies(wanted: Sequence[Body], token: Token) -> list[list[Bot | None]]:
    """Return the bots of each match by seat. Equal seats are looked up once. Raise `Problem`, which names the place."""
    found: dict[tuple[str, ...], list[Bot | None]] = {}
    companies = []
    for place, each in enumerate(wanted):
        key = (each["game"], *(name or "" for name in each["seats"]))
        if key not in found:
            try:
                found[key] = bots_of(each["seats"], each["game"], token)
            except (Problem, LeagueError) as refusal:
                problem = problem_of(refusal, ())
                raise Problem(
                    problem.code, f"matches.{place}: {problem.detail}", **problem.details
                ) from refusal
        companies.append(found[key])
    return companies


def _requested(body: Body, place: int, bots: list[Bot | None], token: Token, match: str) -> NewMatch:
    try:
        return requested(body, bots, token, match)
    except BadTable as why:
        raise BadTable(f"matches.{place}.{why.field}", why.value, why.expected) from why


def _terms(body: Body) -> MatchTerms:
    """Return the requested terms with all options. Raise `Problem` or `BadTable`."""
    game, clock = known_game(body["game"]), ClockRule(**body["clock"])
    seats, deals = body["seats"] or min(game.seat_counts), checked_deals(game, body["deals"])
    check_table(
        NewMatch(game=game.id, seats=[None] * seats, options=body["options"], deals=deals, clock=clock)
    )
    table = table_of(game.id, seats, body["options"])
    assist = body["assist"]
    preset = preset_of(table, clock, assist)
    return MatchTerms(game.id, seats, dict(table.options), deals, clock, preset, assist)
