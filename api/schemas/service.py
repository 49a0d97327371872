"""The service: health, limits, keys and problems."""

from __future__ import annotations

from typing import Any, Final

from api.limits.rates import RateScope
from api.problems import KINDS
from api.schemas.common import Json, flag, listed, mapping, number, ref, text, whole
from api.schemas.league.standings import MOST_STANDINGS
from api.schemas.matches import FACTORED_MOVES
from api.schemas.responses import Derived, Encoded, Listed, Output, ResponseSchema, dump
from league.accounts.model import IneligibleReason
from league.errors import EntryReason
from records.match.clock import DECISIONS, PACES
from referee.service.state import ServiceState

_PROBLEM: Final[dict[str, Any]] = {
    "type": text("The page that explains the problem", format="uri-reference"),
    "title": text("A short title, the same for each `code`"),
    "status": {"type": "integer", "minimum": 400, "maximum": 599},
    "detail": text("What was wrong with this request"),
    "code": ref("ProblemCode"),
    "retryable": flag("Whether the same request may succeed when it is sent again unchanged"),
    "request_id": text("Identifies the request; quote it to the operator"),
    "supported": listed({"type": "string"}, "The content types that the path supports"),
    "errors": mapping(listed({"type": "string"}), "What is wrong with each field or parameter"),
    "field": text("The field that is wrong"),
    "expected": text("The expected value, in words"),
    "scope": text("The required scope"),
    "legal_moves": listed({"type": "string"}, "The legal moves of the turn"),
    "free_moves": listed({"type": "string"}, "The free moves that you may make now"),
    "factored_moves": FACTORED_MOVES,
    "deal": whole("The deal to send a free move with", None),
    "turn": whole("The current turn of the match", None),
    "view": ref("Match", "The match as you see it now"),
    "open_seats": listed({"type": "integer"}, "The seats still open"),
    "ending": text("How the match ended", null=True),
    "retry_ms": whole("Milliseconds to wait before retrying", None),
    "limit": text("Which of the `rates` of `GET /v1/limits` was exceeded"),
    "round": whole("The round that is running", None),
    "state": text("The ladder's state"),
    "bot": text("The bot that can't be seated"),
    "reason": text(
        "disabled; game, clock, kind or owner: its match policy excludes the game, the clock, the "
        "kind of match or the owner of another bot at the table; busy: it has as many matches as it "
        "accepts; assist: only its owner may seat it. The others say why a ladder "
        "refuses an entry; unchecked: it requires a conformance check",
        enum=[why.value for why in (*IneligibleReason, *EntryReason)],
    ),
    "why": text("Why the ladder's owner banned the bot, in the owner's words"),
    "match_policy": ref("MatchPolicy", "The bot's match policy"),
}
_ALWAYS: Final = ("type", "title", "status", "detail", "code", "retryable", "request_id")

_RATES: Final = {
    RateScope.REQUESTS: "Requests of a bot or an owner that no other limit counts",
    RateScope.CREATIONS: "Requests of a bot or an owner that create something",
    RateScope.POLLS: "Requests of a bot for turns that made no move",
    RateScope.REFUSED_MOVES: "Refused moves of a bot. Over the limit, a refusal names only the limit; "
    "a legal move is never refused for rate",
    RateScope.ANONYMOUS: "Requests of an address without a valid token",
    RateScope.REGISTRATIONS: "Requests of an address to create an owner",
    RateScope.PAGES: "Requests of an address to one process for documentation and static files",
    RateScope.PROBES: "Requests of an address to one process for `/healthz` and `/readyz`",
    RateScope.BAD_TOKENS: "Requests of an address with an invalid token. Requests with valid tokens "
    "are not affected",
}


class HealthSchema(ResponseSchema):
    """A process that responds."""

    status = Output({"type": "string", "const": "ok"})


class ReadinessSchema(ResponseSchema):
    """Whether the service as a whole can play matches."""

    ready = flag("Whether matches can be played: there are no `problems`")
    degraded = flag("Whether there are `problems` or `warnings`")
    service = ref("ServiceState")
    parts = mapping(
        {"type": "boolean"},
        "Whether each part works: `redis` answers, `writes` are taken, and a process of each "
        "kind (`api`, `clock`, `worker`) runs; these three are known only while Redis takes writes",
    )
    problems = listed({"type": "string"}, "Why matches can't be played, in words for operators")
    warnings = listed({"type": "string"}, "Other faults")
    heartbeats = mapping(whole("ms"), "Milliseconds since the last heartbeat, by process (`kind-pid-token`)")
    oldest_jobs = mapping(
        whole("ms"), "Milliseconds that the oldest job has waited, by queue; 0 for an empty queue"
    )


class RateSchema(ResponseSchema):
    """A rate limit."""

    limit = whole("The number of requests", 1)
    window_s = whole("The length of the window in seconds", 1)


class PaceSchema(ResponseSchema):
    """A clock with a name, which stands for all clocks that are about as fast."""

    clock = Encoded(ref("ClockRule"))
    from_ms = whole(f"The least time per decision, with the bank spread over {DECISIONS} decisions")
    start_ms = whole("The least time that the seats have to show up; 0 stands for `start_ms` of the limits")


class LimitsSchema(ResponseSchema):
    """The limits of the service."""

    max_wait_s = number("The longest `wait` of a request, in seconds")
    max_body_bytes = whole("The largest body of a request", 1)
    body_timeout_s = number("Seconds within which a body must arrive completely")
    max_moves = whole("Moves in one `POST /v1/turns`", 1)
    max_page = whole(f"Entries of one page of a list; standings have up to {MOST_STANDINGS}", 1)
    max_events = whole("Events in one response", 1)
    max_polls = whole(
        "Polls of one bot that may wait in one process of the service. One more makes the oldest respond at once",
        1,
    )
    max_waits = whole(
        "Requests that may wait for a match's next turn or its events, per bot, or per address without a token",
        1,
    )
    open_registration = flag("Whether registration needs no invitation")
    start_ms = whole(
        "A match is aborted if its seats don't show up within this time, which is longer at slow paces", 1
    )
    open_ms = whole("A match is aborted if its open seats aren't taken within this time", 1)
    settle_ms = whole("The delay after deadline and grace before the referee makes the safe move")
    paces = Derived(
        mapping(ref("Pace"), "The clocks by name, the fastest first"),
        lambda _: {name: dump(PaceSchema, pace) for name, pace in PACES.items()},
    )
    rates = Derived(
        {
            "type": "object",
            "description": "The rate limits. A missing entry means no limit",
            "properties": {scope.value: ref("Rate", description) for scope, description in _RATES.items()},
        },
        lambda limits: {
            scope.value: dump(RateSchema, rate) for scope, rate in limits.rates.items() if rate.limit
        },
    )
    version = text("The version of the service")


class PublicKeySchema(ResponseSchema):
    """A key that signs records."""

    key = text("The 32 bytes in hexadecimal", pattern="^[0-9a-f]{64}$")
    pem = text("The key as PEM")
    since = whole("The number of records in the chain when the key was first used")
    in_use = flag("Whether it signs the records that are read now")


class KeysSchema(ResponseSchema):
    """The keys that sign records, and the end of the record chain."""

    algorithm = Output({"type": "string", "const": "Ed25519"})
    keys = Listed(PublicKeySchema, "All keys that have signed records, oldest first")
    records = whole("The number of records in the chain")
    link = text("The last link, in hexadecimal; zeros for an empty chain")


class RootSchema(ResponseSchema):
    """Links to the documentation."""

    service = text("The name of the service")
    docs = text("The path of the documentation")
    openapi = text("The path of the OpenAPI document")


COMPONENTS: Final[dict[str, Json]] = {
    "ProblemCode": text("What is wrong. Later releases may have more codes", enum=list(KINDS)),
    "Problem": {
        "type": "object",
        "description": "An RFC 9457 problem document. Fields after `request_id` appear only where they help.",
        "properties": _PROBLEM,
        "required": list(_ALWAYS),
        "additionalProperties": True,
    },
    "ServiceState": text(
        "running; draining: existing matches are played out and nothing new is created; paused: all clocks stand "
        "still, moves cost no time, and nothing new is created",
        enum=[state.value for state in ServiceState],
    ),
}
