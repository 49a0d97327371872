"""Matches: their events, frames and records, and what bots report about their moves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from flask import Response, request

from api import auth, waits
from api.blueprint import Blueprint
from api.caching import ETAG, REVALIDATED, UNCHANGED, revalidated
from api.contract.describe import CHALLENGE, CURSOR, GOES_ON, NOT_ADMITTED, Created, ResponseSpec, created
from api.idempotency import recorded_before
from api.problems import Problem
from api.resources.games import known_game
from api.schemas import matches as schemas
from api.schemas.common import ref
from api.schemas.frames import FramesQuery
from api.services import Services, services
from api.tables import columns, table, table_of
from api.wire import JSON, NDJSON, answer, line, wants_lines
from engine.match import checked_deals
from engine.quoting import quoted
from engine.registry import GAMES
from league.accounts.model import Bot
from league.accounts.tokens import Token, TokenKind
from records.errors import RefereeError
from records.ids import is_match_id, new_match_id
from records.match import views
from records.match.clock import ClockRule
from records.match.frames import Hands, Viewer, coded
from records.match.loaded_match import LoadedMatch
from records.match.new_match import NewMatch
from records.match.session import MatchConfig, Status
from referee.after_commit import AfterCommitStep
from referee.greenlets import let_others_run
from referee.service.admission import admit
from referee.storage.index import MatchFilter, MatchPage

blueprint = Blueprint("matches", __name__, description="Matches, their events and their records.")

Body = dict[str, Any]
_CHUNK: Final = 50
"""How many matches of a list of records are read at once."""
_DEALS: Final = 50
"""How many deals the records that are built at once may have, since a deal takes a tenth of a millisecond."""
_COLUMNS: Final = columns(ref("MatchSummary"))


@blueprint.serve(
    "POST /v1/matches",
    created("The match", "Match"),
    scope="challenge",
    problems=CHALLENGE,
    body=schemas.NewMatchSchema,
    keyed=1,
    player=True,
)
def create_match(body: Body, caller: Token, seed: str | None) -> object:
    """Create a casual match.

    A bot's token can create matches in which its owner has a seat; an owner's token can create any. The match
    starts when every open seat is taken and every bot has shown up, which means that it has asked for its
    turns. It is aborted if that takes too long (`GET /v1/limits`). House bots are always present. Every bot
    must accept the match, the other bots and the caller: `bot_unavailable` names the bot that does not, the
    reason, and what it accepts.
    """
    loaded = _created(body, caller, seed or new_match_id())
    seen = views.match_view(loaded, loaded.config.seat_of(caller.bot), masked=False)
    return Created(seen, f"/v1/matches/{loaded.id}")


@blueprint.serve(
    "GET /v1/matches",
    table_of("Matches", "MatchPage"),
    problems=["no_such_bot", "no_such_game"],
    query=schemas.MatchesQuery,
)
def list_matches(query: Body) -> object:
    """List matches.

    Matches that have not ended come first, newest first, then finished matches, the last to end first. All
    filters can be combined.
    """
    wanted = _filter(query)
    cursor = services().cursors.of("matches", query)
    page = services().index.matches(wanted, cursor.place, query["limit"])
    loaded_matches = [
        loaded
        for loaded in services().referee.look_at(page.ids, known=page.archived)
        if loaded is not None and wanted.fits(loaded)
    ]
    found = [views.match_summary(loaded) for loaded in loaded_matches]
    return table({"matches": found, "cursor": cursor.then(page.cursor)}, found, _COLUMNS)


@blueprint.serve(
    "GET /v1/matches/<match>",
    ResponseSpec("The match", "Match"),
    token_optional=True,
    problems=["group_running"],
    player=True,
)
def get_match(match: str) -> object:
    """Get a match as the caller may see it.

    A bot with a seat sees its own hand; everybody else sees only what all seats see. Until a duplicate group
    ends, only its seats can see its matches, and the names of other remote bots are hidden from them.
    """
    bot = auth.reader()
    loaded = look(match)
    seat = loaded.progress.to_move
    waits_for_house = seat is not None and not loaded.finished and loaded.config.is_house(seat)
    return _seen(loaded, bot, ahead=services().jobs.turns_ahead(match) if waits_for_house else None)


@blueprint.serve(
    "POST /v1/matches/<match>/join",
    ResponseSpec("The match", "Match"),
    scope="play",
    problems=[
        "no_such_bot",
        "bot_unavailable",
        "seat_taken",
        "already_seated",
        "not_joinable",
        "group_running",
        "busy",
        *NOT_ADMITTED,
    ],
    body=schemas.JoinSchema,
)
def join_match(body: Body, caller: Token, match: str) -> object:
    """Take an open seat of a match.

    Your bot and the bots already seated must accept each other, and your bot must accept the match.
    """
    parts = services()
    bot = parts.accounts.bot_by_id(auth.bot_of(caller))
    found = look(match)
    if found.config.seat_of(bot.id) is None:
        parts.referee.check_open(found)
    admit(parts.service)

    def accepted(config: MatchConfig) -> None:
        seated = parts.accounts.bots_by_ids([seat.id for seat in config.seats if seat is not None])
        parts.eligibility.check([bot, *seated], config.game, config.clock)

    with parts.eligibility.reserved(match, [bot]):
        loaded = parts.referee.join(match, bot.seat, body.get("seat"), body.get("entropy"), accepted)
    return views.match_view(loaded, loaded.config.seat_of(bot.id), masked=False)


@blueprint.serve(
    "POST /v1/matches/<match>/resign",
    ResponseSpec("The match", "Match"),
    scope="play",
    problems=["not_your_match", "busy"],
    player=True,
)
def resign_match(caller: Token, match: str) -> object:
    """Resign from a match.

    Before the start this aborts a casual match and forfeits a ladder match. Resigning again has no further
    effect.
    """
    bot = auth.bot_of(caller)
    look(match)
    return _seen(services().referee.resign(match, bot), bot, committed=True)


@blueprint.serve(
    "GET /v1/matches/<match>/events",
    ResponseSpec(
        "Events after number `after`, oldest first. NDJSON has one event a line",
        content={JSON: ref("Events"), NDJSON: ref("MatchEvent")},
    ),
    token_optional=True,
    problems=["group_running", "events_not_ready"],
    query=schemas.EventsQuery,
)
def list_events(query: Body, match: str) -> object:
    """List the events of a match as the caller may see them.

    Events are numbered from 1 without gaps. Numbers are the same for all viewers; only the contents differ.
    With `wait`, the request waits for the first event. A seat learns nothing about the match beyond its events.
    """
    wait = waits.bounded(query["wait"], services().limits.max_wait_s, "invalid_query")
    if waits.is_abandoned(request.environ):
        wait = 0.0
    bot = auth.reader()
    look(match)
    viewer = bot or services().addresses.of(request.environ)
    events = services().turns.events(match, bot, query["after"], wait, query["limit"], viewer)
    if not wants_lines():
        return answer(events)
    return Response(b"".join([line(event) for event in events["events"]]), mimetype=NDJSON)


@blueprint.serve(
    "GET /v1/matches/<match>/record",
    ResponseSpec("The record", "MatchRecord", headers=ETAG),
    UNCHANGED,
    problems=["record_not_ready", "group_running"],
)
def get_record(match: str) -> object:
    """Get the record of a finished match.

    The record holds everything needed to replay and verify the match, with hidden cards and the shuffle.
    """
    loaded = look(match)
    record = services().referee.record(loaded).to_json()
    return revalidated(answer(_annotated(services().proofs.proven([record])[0], loaded)))


@blueprint.serve(
    "GET /v1/records",
    ResponseSpec(
        "Records in the order in which the matches ended, one a line",
        content={NDJSON: ref("MatchRecord")},
        headers=GOES_ON,
    ),
    problems=["no_such_bot", "no_such_game"],
    query=schemas.RecordsQuery,
)
def list_records(query: Body) -> object:
    """Stream the records of finished matches.

    Each line of the NDJSON response is one whole record. The `Kozyr-Cursor` header continues the list.
    """
    wanted = _filter(query)
    cursor = services().cursors.of("records", query)
    page = MatchPage([], None)
    if wanted.status in (None, Status.FINISHED):
        page = services().index.ended(wanted, cursor.place, query["limit"])
    then = cursor.then(page.cursor)
    headers = {"Cache-Control": REVALIDATED} | ({} if then is None else {CURSOR: then})
    return Response(_records(services(), page), headers=headers, mimetype=NDJSON)


def _records(parts: Services, page: MatchPage) -> Iterator[bytes]:
    for start in range(0, len(page.ids), _CHUNK):
        found = parts.referee.look_at(page.ids[start : start + _CHUNK], known=page.pointers())
        over = [loaded for loaded in found if loaded is not None and loaded.finished]
        for together in _parts(over):
            proven = parts.proofs.proven([parts.referee.record(loaded).to_json() for loaded in together])
            for record, loaded in zip(proven, together, strict=True):
                yield line(_annotated(record, loaded))
            let_others_run()


def _parts(loaded_matches: Sequence[LoadedMatch]) -> Iterator[list[LoadedMatch]]:
    """Yield the matches in parts of at most `_DEALS` deals, or of one match."""
    part: list[LoadedMatch] = []
    deals = 0
    for loaded in loaded_matches:
        deals += loaded.progress.number
        if part and deals > _DEALS:
            yield part
            part, deals = [], loaded.progress.number
        part.append(loaded)
    if part:
        yield part


def _annotated(record: Body, loaded: LoadedMatch) -> Body:
    """Add the match's annotations to its record."""
    if loaded.annotations:
        record["annotations"] = [views.annotation_view(annotation) for annotation in loaded.annotations]
    return record


def _filter(query: Body) -> MatchFilter:
    game = query.get("game")
    if game is not None:
        known_game(game)
    return MatchFilter(
        game,
        _bot_id(query.get("bot")),
        query.get("ladder"),
        Status(query["status"]) if "status" in query else None,
        query.get("result"),
        query.get("since"),
        query.get("until"),
        query.get("void"),
        _bot_id(query.get("opponent")),
    )


def _bot_id(name: str | None) -> str | None:
    return None if name is None else services().accounts.bot(*name.split("/")).id


def _seen(
    loaded: LoadedMatch, bot: str | None, *, committed: bool = False, ahead: int | None = None
) -> Response:
    """Return the match as this bot sees it, or with `None` as everybody does, with the number of turns `ahead` of its
    own. Raise `GroupRunning`."""
    referee, seat = services().referee, loaded.config.seat_of(bot)
    # If this is unknown, names are hidden.
    masked = services().after_commit.run(
        AfterCommitStep.VIEW, lambda: referee.is_masked(loaded), True, committed=committed
    )
    if masked and seat is None:
        services().referee.check_open(loaded)
    view = views.match_view(loaded, seat, masked=masked)
    return answer(view if ahead is None else {**view, "turns_ahead": ahead})


def look(match: str) -> LoadedMatch:
    """Return the match with this id. Raise `Problem` for text that is no id, `NoSuchMatch`, `MatchUnreadable`."""
    if not is_match_id(match):
        raise Problem("no_such_match", f"there is no match {quoted(match)}")
    return services().referee.look(match)


def _created(body: Body, token: Token, match: str) -> LoadedMatch:
    """Create a casual match with this id. Raise `Problem` or an error of the league or the referee."""
    admit(services().service)
    bots = bots_of(body["seats"], body["game"], token)
    new = requested(body, bots, token, match)
    services().eligibility.check(bots, new.game, ClockRule(**body["clock"]), token.owner_name, new.assist)
    with services().eligibility.reserved(match, bots):
        (made,) = services().referee.create_all([new._replace(since=recorded_before())])
        return made


def requested(body: Body, bots: list[Bot | None], token: Token, match: str) -> NewMatch:
    """Return the casual match that a request describes, with this id. Raise `BadTable`."""
    mine = own_seat(bots, token)
    return NewMatch(
        game=body["game"],
        seats=[bot and bot.seat for bot in bots],
        options=body["options"],
        deals=checked_deals(GAMES[body["game"]], body["deals"]),
        dealer=body["dealer"],
        clock=ClockRule(**body["clock"]),
        assist=body["assist"],
        entropy=[body["entropy"] if seat == mine else None for seat in range(len(bots))],
        id=match,
        requested_by=token.owner_name,
    )


def bots_of(seats: list[str | None], game: str, token: Token) -> list[Bot | None]:
    """Return the bots by seat. Raise `Problem` for a bot that the token may not seat."""
    known_game(game)
    bots: list[Bot | None] = []
    for name in seats:
        owner, slash, bot = (name or "").partition("/")
        if name is not None and not slash:
            raise Problem("no_such_bot", f"{quoted(name)} is not of the form `owner/bot`")
        bots.append(None if name is None else services().accounts.bot(owner, bot))
    if token.kind is not TokenKind.OWNER and not any(bot_ and bot_.owner == token.owner for bot_ in bots):
        raise Problem("not_your_bot", "one seat must be a bot of yours, unless the token is an owner's")
    return bots


def own_seat(bots: list[Bot | None], token: Token) -> int | None:
    """Return the seat that the creator's entropy is attributed to: its own, or else the first of its owner's."""
    for seat, bot in enumerate(bots):
        if bot is not None and bot.id == token.bot:
            return seat
    return next((seat for seat, bot in enumerate(bots) if bot is not None and bot.owner == token.owner), 0)


facts_of_match = Blueprint("facts", __name__, description="What bots report about their moves.")


@facts_of_match.serve(
    "GET /v1/matches/<match>/facts",
    ResponseSpec("The facts", schemas.MatchFactsSchema),
    token_optional=True,
    problems=["record_not_ready", "group_running"],
)
def get_match_facts(match: str) -> object:
    """Get the tokens, cost, mendings and thoughts that bots reported with their moves, and their refused moves.

    Everybody who may read the match's record can read its facts. Before that, a bot can read its own. Facts are kept
    for 30 days. They are no part of the record, and nobody verifies them.
    """
    own, loaded = auth.reader(), look(match)
    seats = {
        number: seat
        for number, seat in enumerate(loaded.config.seats)
        if seat is not None and not (seat.house or seat.person)
    }
    try:
        services().referee.record(loaded)
    except RefereeError:
        seats = {number: seat for number, seat in seats.items() if seat.id == own}
        if not seats:
            raise
    found = services().facts.of([seat.id for seat in seats.values()], loaded.id)
    facts = [
        schemas.facts_model(number, seat.bot, each)
        for (number, seat), each in zip(seats.items(), found, strict=True)
    ]
    return {"match": loaded.id, "seats": facts}


frames = Blueprint("frames", __name__, description="Matches, step by step.")


@frames.serve(
    "GET /v1/matches/<match>/frames",
    ResponseSpec("Frames after number `after`, oldest first", "FrameList"),
    token_optional=True,
    problems=["record_not_ready", "group_running", "events_not_ready"],
    query=FramesQuery,
)
def list_frames(query: Body, match: str) -> object:
    """List the frames of a match: its events step by step, each with the table after it.

    The first frame of a response has the whole table, every other one the changes. Clients that show a match need
    no rules. A match that has not started has no frames.
    """
    own, loaded = auth.reader(), look(match)
    viewer = _viewer(loaded, loaded.config.seat_of(own), query.get("seat"))
    found = services().referee.frames(loaded, viewer, query["after"], query["limit"])
    last = loaded.finished and len(found) < query["limit"]
    seat = viewer.value if isinstance(viewer, Hands) else viewer
    return {"frames": list(coded(found)), "seat": seat, "over": last}


def _viewer(loaded: LoadedMatch, own: int | None, wanted: Viewer) -> Viewer:
    """Return whose view the caller gets. Raise `Problem`, `RecordNotReady` or `GroupRunning` if it may not."""
    referee, seats = services().referee, len(loaded.config.seats)
    if wanted not in (None, own):
        referee.record(loaded)
        if isinstance(wanted, int) and wanted >= seats:
            raise Problem("not_found", f"there is no seat {wanted}: the match has the seats 0 to {seats - 1}")
        return wanted
    if own is None:
        referee.check_open(loaded)
    return own
