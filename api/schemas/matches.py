"""Matches: requests that create and join them, their views, events and records, and what bots report about moves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from marshmallow import fields, post_load, pre_dump, pre_load, validate

from api.schemas.common import (
    BOT_NAME,
    ENDINGS,
    ENTROPY,
    NEXT_CURSOR,
    OPTIONAL,
    STATUSES,
    Choice,
    Instant,
    Json,
    Number,
    PageQuery,
    Several,
    Strict,
    String,
    Text,
    Wait,
    Whole,
    YesNo,
    cursor_field,
    either,
    flag,
    instant,
    listed,
    nullable,
    obj,
    ref,
    text,
    whole,
)
from api.schemas.responses import Listed, ResponseSchema
from engine.match import MOST_DEALS
from league.fitness.facts import SeatFacts, ToldMove
from records.match.assist import ASSISTS, LETTERS, LIST
from records.match.clock import CLOCK_LIMITS, PACES, ClockRule
from records.match.move_requests import USAGE

_CLOCK: Final = {
    "move_ms": "Time for each decision",
    "bank_ms": "Additional time for the whole match",
    "increment_ms": "Added to the bank by each decision made",
    "grace_ms": "Network allowance for each move; never charged",
    "strikes": "The number of timeouts that forfeit the seat",
}
ASSIST: Final = "What turns show of the legal moves: `list` all, `factored` products of cards, `none` nothing"


def _of_clock(name: str) -> Whole:
    return Whole(*CLOCK_LIMITS[name], _CLOCK[name], load_default=getattr(ClockRule(), name))


class ClockSchema(Strict):
    """The clock of a match. Omitted fields have their defaults."""

    move_ms = _of_clock("move_ms")
    bank_ms = _of_clock("bank_ms")
    increment_ms = _of_clock("increment_ms")
    grace_ms = _of_clock("grace_ms")
    strikes = _of_clock("strikes")
    pace = Choice(PACES, "A clock by name, whose values stand for the omitted fields")

    @pre_load
    def _fill_in(self, data: Any, **more: Any) -> Any:
        pace = data.get("pace") if isinstance(data, Mapping) else None
        named = PACES.get(pace) if isinstance(pace, str) else None
        return data if named is None else {**named.clock.to_json(), **data}

    @post_load
    def _without_name(self, data: dict[str, Any], **more: Any) -> dict[str, Any]:
        data.pop("pace", None)
        return data


class ToPlaySchema(Strict):
    """A game, its options and its clock."""

    game = String(1, 64, "As in `GET /v1/games`", required=True)
    options = fields.Dict(
        keys=fields.String(),
        load_default=dict,
        metadata={"description": "The game's options; omitted options have their defaults"},
    )
    clock = fields.Nested(ClockSchema, load_default=dict)
    assist = Choice(ASSISTS, "As in `Assist`; rated apart", load_default=LIST)


class CasualSchema(ToPlaySchema):
    """A match or group to play now."""

    dealer = Whole(0, 15, "The first dealer; drawn by lot if left out", **OPTIONAL)
    entropy = Text(ENTROPY, "Printable characters of your choice that enter the shuffle", **OPTIONAL)


class NewMatchSchema(CasualSchema):
    """A casual match."""

    seats = Several(
        fields.String(allow_none=True, validate=validate.Length(3, 65, error="Must be a bot, as owner/bot.")),
        "The bots by seat, as `owner/bot`. Null is an open seat that any bot may "
        "join. A remote bot can have only one seat, a house bot several",
        least=1,
        most=16,
        required=True,
    )
    deals = Whole(
        1, MOST_DEALS, "The number of deals, by default 1. Not for games with a fixed number", **OPTIONAL
    )


class JoinSchema(Strict):
    """An open seat."""

    may_be_absent = True

    seat = Whole(0, 15, "The seat; if omitted, the first open one", **OPTIONAL)
    entropy = Text(ENTROPY, "Printable characters of your choice that enter the shuffle", **OPTIONAL)


class FilterQuery(Strict):
    """Filters of matches."""

    game = String(1, 64, "Only this game")
    bot = Text(BOT_NAME, "Only matches in which this bot has a seat")
    opponent = Text(BOT_NAME, "Only matches in which this bot has a seat too")
    ladder = String(1, 64, "Only this ladder")
    status = Choice(STATUSES, "Only this status")
    result = Choice(ENDINGS, "Only matches with this ending")
    void = YesNo("`true`: only void matches; `false`: no void matches")
    since = Instant("Only matches that ended (or, if not over, were created) at or after this instant")
    until = Instant("Only matches that ended (or, if not over, were created) at or before this instant")


class MatchesQuery(FilterQuery, PageQuery):
    """Filters and page of the matches."""


class RecordsQuery(FilterQuery):
    """Filters and page of the records."""

    cursor = cursor_field("The `Kozyr-Cursor` header of the previous response")
    limit = Number(1, 100_000, "The maximum number of records in a response", load_default=1000)


class EventsQuery(Strict):
    """Which events to return."""

    after = Number(0, 10**9, "Only events with higher numbers", load_default=0)
    limit = Number(1, 1000, "The maximum number of events in a response", load_default=1000)
    wait = Wait(
        load_default=0.0,
        metadata={
            "minimum": 0,
            "description": "Seconds to wait for the first; at most `max_wait_s` of the limits",
        },
    )


_PERSON: Final = {
    "type": "boolean",
    "const": True,
    "description": "A person plays; absent for a bot. Such a match counts in no rating or standing",
}
_SEAT: Final = obj(
    {
        "bot": text("`owner/bot`", examples=["example/fool"]),
        "id": text("The bot's id, which never changes"),
        "version": text("The bot's version when the match was made; empty for a person"),
        "person": _PERSON,
    },
    optional=("person",),
)
_MASKED: Final = obj(
    {
        "bot": text("`owner/bot`; null while its name is hidden", examples=["example/fool"], null=True),
        "id": text("The bot's id, which never changes; null while its name is hidden", null=True),
        "version": text(
            "The bot's version when the match was made; null while its name is hidden", null=True
        ),
        "person": _PERSON,
    },
    "The bot in a seat. Until a duplicate group ends, each seat is hidden the names of other remote bots.",
    optional=("person",),
)
_MOVE_FORM: Final = obj(
    {
        "move": text("With letters for cards, no two for the same card", examples=["lay X Y"]),
        **{letter: listed({"type": "string"}) for letter in LETTERS},
    },
    "A legal move, or several that are a product.",
    optional=tuple(LETTERS),
)
FACTORED_MOVES: Final = ref("MoveForms")
_SCORES: Final = listed({"type": "integer"}, "Points of the finished deals, by seat")
_PLACES: Final = listed(
    {"type": "integer", "minimum": 1},
    "By seat, 1 + the number of seats with a higher score; forfeited seats after all others",
)

_SUMMARY: Final[Json] = {
    "id": text("The match's id"),
    "game": text("The game's id"),
    "options": {
        "type": "object",
        "additionalProperties": {},
        "description": "Every option that applies, defaults too",
    },
    "preset": text(
        "What is rated together: game, seats, options that are not their defaults, pace and assist"
    ),
    "rules": text("The game and the version of its rules"),
    "deals": whole("How many deals the match has", 1),
    "deal": whole("The deal in progress, from 1", 1),
    "seats": listed(either("SeenSeat"), "Who sits where; null is an open seat"),
    "clock": ref("ClockRule"),
    "assist": ref("Assist"),
    "rated": flag("Whether it counts in ratings"),
    "ladder": text("The ladder that made it", null=True),
    "round": whole("The ladder's round", 0, null=True),
    "status": ref("MatchStatus"),
    "ending": either("Ending", "How it ended; null before the end"),
    "void": flag("Whether it is over and does not count, by its ending or by a later annotation"),
    "created": instant("When it was created"),
    "started": instant("When its first deal was dealt", null=True),
    "ended": instant("When it ended", null=True),
    "scores": _SCORES,
    "places": nullable(_PLACES),
    "forfeits": listed({"type": "integer", "minimum": 0}, "The forfeited seats"),
    "hints": listed(
        {"type": "integer", "minimum": 1}, "The turns for which a person got a hint; absent without any"
    ),
    "continues": ref(
        "MatchPlace",
        "The position of an earlier match at which it began. Such a match counts in no rating or standing",
    ),
}

_PLACE: Final[Json] = {
    "match": text("The match that this one continues"),
    "deal": whole("The deal at which it began", 1),
    "move": whole("How many moves of that deal were repeated"),
}
_MATCH: Final[Json] = {
    **_SUMMARY,
    "entropy": listed({"type": "boolean"}, "By seat, whether it gave entropy of its own to the shuffle"),
    "commitment": text("SHA-256 of the shuffle's secret and the match's id, in hexadecimal"),
    "clocks": listed(ref("SeatClock"), "By seat"),
    "seat": whole("The seat whose view this is; null for a spectator", null=True),
    "now": instant("Service time at this answer"),
    "turn": whole("The current turn; null if there is none", 1, null=True),
    "to_move": whole("The seat to move; null if there is none", null=True),
    "deadline": instant(
        "When the turn times out, including the bank but not the grace; null without a clock", null=True
    ),
    "observation": either("Observation", "What this viewer sees of the deal; null while no deal is played"),
    "turns_ahead": whole(
        "Only of `GET /v1/matches/{match}`, while the match waits for a worker that plays its house bots: how many "
        "turns of other matches come first. A turn takes one or two seconds of a worker"
    ),
}

_EVENT: Final = (
    "Something that happened, as this viewer may know it. `n` and `type` are always there. In every game: "
    "`started` (`deals`, `dealer`); `deal`, a deal begins (`deal`, `dealer`); `dealt`, the cards lie "
    "(`hand_sizes`, your own `hand`, and what all see, as in the game's observation); `move` (`seat`, `move`, "
    "`ms`, `turn` unless it was a free move, `by` unless it was the bot's own); `forfeited` (`seat`, "
    "`reason`); `deal_over` (`deal`, `returns`, `scores`); `match_over` (`ending`, `scores`). What else a move "
    "brought about follows it: `drawn` (`seat`, `count`, and `cards` if they are yours), `taken` (`seat`, "
    "`cards`), `beaten_off` (`count`) and the game's own. `cards` is a list of cards everywhere, `count` a number."
)
_RECORD: Final = obj(
    {
        "format": {"type": "integer", "const": 1},
        **{name: _SUMMARY[name] for name in ("id", "game", "options", "preset", "rules", "deals")},
        "dealer": whole("The first deal's dealer; null if none was dealt", null=True),
        "seats": listed(either("Seat")),
        "clock": ref("ClockRule"),
        "assist": text(
            "What turns showed of the legal moves; absent: all",
            enum=[each for each in ASSISTS if each != LIST],
        ),
        **{name: _SUMMARY[name] for name in ("rated", "ladder")},
        "round": whole("The ladder's round", 1),
        "season": whole("The season of the ladder in which the match counts", 1),
        "continues": obj(
            {
                **_PLACE,
                "shuffles": listed(
                    obj(
                        {
                            "match": text("The match in which the deals were played first"),
                            "deals": whole("The last deal of this shuffle", 1),
                            "secret": text("The secret, in hexadecimal"),
                            "entropy": listed(text("What a bot registered", null=True), "As in `shuffle`"),
                            "suits": text("The suits that C, D, H and S became there", examples=["CDHS"]),
                        }
                    ),
                    "The shuffles of the deals up to `deal`, in order",
                ),
            },
            "The position of an earlier match at which it began",
        ),
        "group": text("The duplicate group", null=True),
        "started": instant("When its first deal was dealt", null=True),
        "ended": instant("When it ended"),
        "moves": listed(ref("RecordedMove"), "All moves, chance's too, in order"),
        "scores": _SCORES,
        "places": _PLACES,
        "forfeits": listed({"type": "integer", "minimum": 0}, "The forfeited seats"),
        "absent": listed(
            {"type": "integer", "minimum": 0}, "The seats whose bots did not show up, so that it never began"
        ),
        "hints": _SUMMARY["hints"],
        "ending": ref("Ending"),
        "shuffle": obj(
            {
                "algorithm": text("How decks follow from secret and entropy"),
                "commitment": text("What was shown before the first deal"),
                "secret": text("256 bits in hexadecimal"),
                "entropy": listed(text("A bot's own", null=True), "By seat; in a group by the group's bots"),
                "dealer": text(
                    "Whether the first dealer was drawn by the shuffle or given with the match",
                    enum=["drawn", "given"],
                ),
                "suits": text("In a group: what C, D, H, S became at this table", pattern="^[CDHS]{4}$"),
            },
            optional=("suits",),
        ),
        "proof": ref("Proof"),
        "annotations": listed(
            ref("Annotation"),
            "Added after the match ended, as when an admin declares it void; absent if there are none. Not signed",
        ),
    },
    "The record of a finished match: enough to replay and verify it with only the rules.",
    optional=("absent", "annotations", "assist", "continues", "hints", "round", "season"),
)

_HEX_32: Final = "^[0-9a-f]{64}$"

COMPONENTS: Final[dict[str, Json]] = {
    "Proof": obj(
        {
            "number": whole("The record's position in the chain of all records, from 1", 1),
            "previous": text("The previous link; zeros for the first", pattern=_HEX_32),
            "link": text("SHA-256 of the previous link and the record's digest", pattern=_HEX_32),
            "key": text("The public key, as in `GET /v1/keys`", pattern=_HEX_32),
            "signature": text("The Ed25519 signature of number and link", pattern="^[0-9a-f]{128}$"),
        },
        "Proves that this service issued the record and that no earlier record has changed since. All in "
        "hexadecimal; docs/shuffles.md describes the computation. The proof is not part of the signed record.",
    ),
    "Seat": _SEAT,
    "SeenSeat": _MASKED,
    "ClockRule": obj(
        {name: whole(says, 1 if name == "strikes" else 0) for name, says in _CLOCK.items()},
        "All values are in milliseconds, except `strikes`.",
    ),
    "SeatClock": obj({"bank_ms": whole("The remaining bank"), "strikes": whole("Timeouts so far")}),
    "Assist": text(ASSIST, enum=list(ASSISTS)),
    "MoveForms": listed(_MOVE_FORM, "All legal moves, with the assist `factored`"),
    "MatchSummary": obj(_SUMMARY, "A match in a list.", optional=("continues", "hints")),
    "Match": obj(_MATCH, "A match as the caller may see it.", optional=("continues", "hints", "turns_ahead")),
    "MatchPlace": obj(_PLACE),
    "MatchPage": obj(
        {"matches": listed(ref("MatchSummary"), "Those that are not over first"), "cursor": NEXT_CURSOR}
    ),
    "MatchEvent": {
        "type": "object",
        "description": _EVENT,
        "properties": {
            "n": whole("Its number, from 1 without gaps, the same for every viewer", 1),
            "type": text("What happened", examples=["started", "deal", "dealt", "move", "deal_over"]),
            "seat": whole("The seat that caused it", null=True),
            "move": text("The move as text"),
            "turn": whole("The turn that the move answered", 1),
            "ms": whole("The time taken"),
            "by": text("Who made the move, if not the bot", enum=["timeout", "forfeit", "continued"]),
            "note": text(
                "The bot's own note on the move; only its seat sees it before the match may be read"
            ),
            "deals": whole("How many deals the match has", 1),
            "deal": whole("The number of the deal, from 1", 1),
            "dealer": whole("The dealer's seat"),
            "hand": listed({"type": "string"}, "The viewer's own cards"),
            "hand_sizes": listed(
                {"type": "integer", "minimum": 0}, "The number of cards in each hand, by seat"
            ),
            "cards": listed({"type": "string"}, "Cards drawn, as far as the viewer may see them, or taken"),
            "count": whole("How many cards were drawn, or beaten off"),
            "returns": listed({"type": "integer"}, "By seat, the points of this deal"),
            "scores": listed({"type": "integer"}, "Points of the finished deals, by seat"),
            "ending": text("As in `Ending`", null=True),
            "reason": text("Why the seat was forfeited"),
        },
        "required": ["n", "type"],
        "additionalProperties": True,
    },
    "Events": obj(
        {
            "events": listed(ref("MatchEvent")),
            "over": flag("Whether the match is over and no event will follow"),
        }
    ),
    "Annotation": obj(
        {
            "at": instant("When it was created"),
            "kind": text("void: the match does not count", enum=["void"]),
            "reason": text("The reason"),
        }
    ),
    "RecordedMove": obj(
        {
            "seat": whole("The seat that moved; null for chance", null=True),
            "move": text("The move; for chance, `deal` and the whole pack", examples=["beat 7H TH"]),
            "ms": whole("The time taken, without credited time"),
            "by": text(
                "Absent for the bot's own move. `timeout`, `forfeit`: the referee's reason; `continued`: repeated from "
                "the match that this one continues",
                enum=["timeout", "forfeit", "continued"],
            ),
            "note": text("The bot's own note on the move"),
        },
        optional=("ms", "by", "note"),
    ),
    "MatchRecord": _RECORD,
}


_MENDINGS: Final[Json] = listed({"type": "string"}, "The mendings with which the client read the move")


def _counts(description: str) -> Json:
    whole_numbers = {"type": "integer", "minimum": 1}
    return {"type": "object", "additionalProperties": whole_numbers, "description": description}


class ToldMoveSchema(ResponseSchema):
    """A move with what was reported about it."""

    doc = "A move with what its bot reported about it. Nobody verifies it"

    turn = whole("The turn that the move answered; null for a free move", 1, null=True)
    deal = whole("The deal of a free move, else null", 1, null=True)
    move = text("The move")
    input_tokens = whole("Tokens that the model read for this move; null if unknown", null=True)
    output_tokens = whole("Tokens that it wrote; null if unknown", null=True)
    cost_micro_usd = whole("The cost in millionths of a US dollar; null if unknown", null=True)
    mended = _MENDINGS
    thoughts = text("The thoughts; empty if there are none, or if a budget was exceeded")

    @pre_dump
    def _combine(self, told: ToldMove, **_: Any) -> dict[str, Any]:
        facts = {**told.facts._asdict(), "mended": list(told.facts.mended)}
        return {"turn": told.turn, "deal": told.deal, "move": told.move, **facts}


class SeatFactsSchema(ResponseSchema):
    """The facts of a seat, as `facts_model` returns them."""

    doc = "The facts about a seat's moves, which are no part of the record"

    seat = whole("The seat")
    bot = text("`owner/bot`")
    refused = _counts("Refused moves by problem code")
    mended = _counts("Mended moves by mending")
    told = whole("Moves with tokens or cost")
    input_tokens = whole("The sum over these moves")
    output_tokens = whole("The sum over these moves")
    cost_micro_usd = whole("The sum over these moves")
    dropped = whole("Moves whose facts were only added up, because a budget was exceeded")
    moves = Listed(ToldMoveSchema, "Moves with facts, by turn; free moves last")


class MatchFactsSchema(ResponseSchema):
    """The facts of a match."""

    match = text("The match's id")
    seats = Listed(
        SeatFactsSchema, "The remote bots by seat; before everybody may read the match, only yours"
    )


def facts_model(seat: int, bot: str, facts: SeatFacts) -> Json:
    """Return the model of `SeatFactsSchema`."""
    return {
        "seat": seat,
        "bot": bot,
        "refused": dict(sorted(facts.refused.items())),
        "mended": dict(sorted(facts.mended.items())),
        **{name: facts.sums[name] for name in ("told", *USAGE, "dropped")},
        "moves": facts.moves,
    }
