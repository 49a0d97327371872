"""The rules that every match must obey under faults, checked from outside by the records and the traffic.

docs/guarantees.md states these rules under "Under faults".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from engine.match import Match, parse_deck
from engine.registry import GAMES
from tests.support.fault_proxy import Exchange

CREDITED_S: Final = 1.0
"""Outages of at least this length are credited to the clocks."""
RUN_ON_S: Final = 0.35
"""How long service time continues after the last heartbeat. It never steps back, so this much is not credited."""
SLACK_MS: Final = 60
"""Tolerance for instants measured from outside: a heartbeat in transit as the outage began, and rounding."""

Key = tuple[str, int, int | str]
"""Match, seat and turn; for a free move its deal and text instead of the turn."""


class RecordedMove(NamedTuple):
    """A move of a record, with the turn and the deal that follow from the replay."""

    seat: int
    turn: int | None
    """The turn that it answers; `None` for a free move."""
    deal: int
    move: str
    ms: int
    by: str | None

    @property
    def key(self) -> int | str:
        """Its key within a match and a seat."""
        return self.turn if self.turn is not None else f"{self.move} in deal {self.deal}"


class Outage(NamedTuple):
    """A period without service, at least from `began` to `ended` (`time.monotonic()`)."""

    what: str
    began: float
    ended: float


def replay(record: Mapping[str, Any]) -> list[RecordedMove]:
    """Replay a record with the rules alone. Assert that its moves are legal and lead to its scores."""
    game = GAMES[record["game"]].table(len(record["seats"]), record["options"])
    match = Match(game, None if game.fixed_deals else record["deals"], record["dealer"])
    state = match.begin()
    played: list[RecordedMove] = []
    turn = 1
    for entry in record["moves"]:
        if entry["seat"] is None:
            state = match.deal(state, parse_deck(entry["move"]))
            continue
        seat, deal = entry["seat"], state.number
        move = match.parse(state, seat, entry["move"])
        answers, on_turn = match.answers(state, seat, move), state.to_move == seat
        assert answers == ("ms" in entry), f"{entry}: only answers take time"
        answered, ms = (turn, entry["ms"]) if answers else (None, 0)
        played.append(RecordedMove(seat, answered, deal, entry["move"], ms, entry.get("by")))
        state = match.play(state, seat, move)
        # A free move by the seat on turn, or one that ends the deal, uses up the number of the open turn too.
        turn += answers or on_turn or state.deal is None or state.over
    if not state.over:
        assert record["ending"] in ("forfeit", "resigned"), record["ending"]
        state = match.cut_short(state, record["forfeits"])
    assert list(state.scores) == record["scores"], "the moves lead to the scores"
    return played


class Evidence:
    """The evidence of a traffic journal: moves sent, moves acknowledged, and the progress of each match."""

    def __init__(self, journal: Iterable[Exchange], *, dirty_reads: bool = False) -> None:
        """With `dirty_reads`, polls may have shown moves that were lost before they were acknowledged."""
        self._dirty_reads = dirty_reads
        self.sent: dict[tuple[str, str, int | str, str], float] = {}
        """When (bot, match, turn or 'deal N', text) was first sent completely: the instant before its first byte."""
        self.acknowledged: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
        """By bot and match, all results of the service; `sent_with` is the turn or deal of the request."""
        self.reached: dict[str, list[tuple[int, float]]] = defaultdict(list)
        """By match, (turn, when): by then the service had reported that the match had reached this turn."""
        for exchange in journal:
            self._read(exchange)

    def when(self, match: str, turn: int) -> float:
        """Return when the match was first known to have reached this turn."""
        return min((when for reached, when in self.reached[match] if reached >= turn), default=float("inf"))

    def _read(self, exchange: Exchange) -> None:
        moves = list(_moves(exchange))
        if exchange.whole:
            for match, key, move in moves:
                known = self.sent.get((exchange.bot, match, key, move), float("inf"))
                self.sent[exchange.bot, match, key, move] = min(known, exchange.began)
        body = exchange.answer
        if exchange.status != 200 or exchange.answered is None or not isinstance(body, dict):
            return
        results = body.get("results", [body] if moves else [])
        for (match, key, move), result in zip(moves, results, strict=True):
            if "problem" in result:
                continue
            assert (result["match"], result["move"]) == (match, move), (
                "the result belongs to the move that was sent"
            )
            self.acknowledged[exchange.bot, match].append({**result, "sent_with": key})
            if result["turn"] is not None:
                self.reached[match].append((result["turn"] + 1, exchange.answered))
        if self._dirty_reads:
            return
        for turn in [*body.get("turns", []), *filter(None, [body.get("next")])]:
            self.reached[turn["match"]].append((turn["turn"], exchange.answered))
        for over in (
            [*(body.get("finished") or [])] if "turns" in body else filter(None, [body.get("finished")])
        ):
            self.reached[over["match"]].append((1 << 62, exchange.answered))
        if body.get("status") == "running":
            self.reached[body["id"]].append((body["turn"] or 0, exchange.answered))


class LawVerdict(NamedTuple):
    """The counts of a checked record."""

    moves: int
    exchanges: int
    acknowledged: int
    timeouts: int
    longest_ms: int
    credited: int
    """How many turns of bots were open during a whole outage of at least `CREDITED_S`."""


def judge(
    record: Mapping[str, Any], evidence: Evidence, created: float, outages: Sequence[Outage]
) -> LawVerdict:
    """Check a match's record against the traffic. `created` is when its creation was first requested."""
    match, played = record["id"], replay(record)
    bots = {seat: sitting["bot"] for seat, sitting in enumerate(record["seats"])}
    remote = {seat for seat, bot in bots.items() if not bot.startswith("house/")}
    assert record["ending"] in ("rules", "forfeit"), record["ending"]
    own = {(each.seat, each.key): each for each in played if each.by is None and each.seat in remote}
    assert len(own) == sum(each.by is None and each.seat in remote for each in played), "each key occurs once"
    by_key = {(each.seat, each.key): each for each in played}
    sent_by_its_bots(record, played, evidence)
    acknowledged = 0
    for seat in remote:
        first: dict[int | str, dict[str, Any]] = {}
        made: set[int | str] = set()
        for result in evidence.acknowledged[bots[seat], match]:
            acknowledged += 1
            free = f"{result['move']} in {result['sent_with']}"
            key = result["turn"] if result["turn"] is not None else free
            there = by_key.get((seat, key))
            assert result["seat"] == seat
            assert there is not None, f"{match}: acknowledged but not in the record: {result}"
            assert (there.by, there.move) == (None, result["move"]), f"{match}: {result} became {there}"
            if there.turn is not None:
                assert result["ms"] == there.ms, f"{match}: {result} became {there}"
            same = {name: result[name] for name in ("turn", "move", "ms", "charged_ms")}
            assert first.setdefault(key, same) == same, f"{match}: {result} first had the result {first[key]}"
            if not result["replayed"]:
                assert key not in made, f"{match}: {result} was made twice"
                made.add(key)
    _check_banks(record, played, evidence, remote, bots)
    turns = _check_times(record, played, evidence, remote, bots, created, outages)
    return LawVerdict(
        len(own),
        sum(each.turn is None for each in own.values()),
        acknowledged,
        sum(each.by == "timeout" for each in played),
        max((each.ms for each in own.values()), default=0),
        turns,
    )


def sent_by_its_bots(record: Mapping[str, Any], played: Sequence[RecordedMove], evidence: Evidence) -> None:
    """Assert that each bot sent its moves completely, for their turn, or for their deal if free."""
    for each in played:
        bot = record["seats"][each.seat]["bot"]
        if each.by is not None or bot.startswith("house/"):
            continue
        key = each.turn or f"deal {each.deal}"
        assert (bot, record["id"], key, each.move) in evidence.sent, f"{record['id']}: {each} was never sent"


def lost_moves(record: Mapping[str, Any], evidence: Evidence) -> int:
    """Return how many acknowledged moves are not in the record, or were acknowledged as made twice. Assert the rules
    that hold nevertheless: moves are legal, and their bots sent them."""
    played = replay(record)
    sent_by_its_bots(record, played, evidence)
    there = {(record["seats"][each.seat]["bot"], each.turn, each.move) for each in played}
    lost = 0
    for bot in {each["bot"] for each in record["seats"]}:
        accepted = evidence.acknowledged[bot, record["id"]]
        made = [(each["turn"], each["sent_with"]) for each in accepted if not each["replayed"]]
        lost += len(made) - len(set(made))
        lost += sum((bot, each["turn"], each["move"]) not in there for each in accepted)
    return lost


def _check_times(
    record: Mapping[str, Any],
    played: Sequence[RecordedMove],
    evidence: Evidence,
    remote: set[int],
    bots: Mapping[int, str],
    created: float,
    outages: Sequence[Outage],
) -> int:
    """Assert that no clock shows more time than passed outside, less outages, and that no bot timed out early. Return
    how many turns were open during an outage."""
    match, asked_after = record["id"], created
    credited_turns = 0
    for each in played:
        if each.turn is None:
            continue
        answered_by = evidence.when(match, each.turn + 1)
        if each.seat in remote and each.by != "forfeit" and answered_by < float("inf"):
            elapsed = (answered_by - asked_after) * 1000
            credited = sum(
                (outage.ended - outage.began - RUN_ON_S) * 1000
                for outage in outages
                if outage.ended - outage.began >= CREDITED_S
                and asked_after <= outage.began
                and outage.ended <= answered_by
            )
            credited_turns += credited > 0
            grace = record["clock"]["grace_ms"] if each.by == "timeout" else 0
            assert each.ms + grace <= elapsed - credited + SLACK_MS, (
                f"{match}: {each}, but {elapsed:.0f} ms passed, of which {credited:.0f} are credited"
            )
        # The next turn opens after this one is answered, which is not before its answer was first sent.
        asked_after += each.ms / 1000 if each.seat in remote and each.by != "forfeit" else 0
        sent = evidence.sent.get((bots[each.seat], match, each.turn, each.move))
        if each.by is None and sent is not None:
            asked_after = max(asked_after, sent)
    return credited_turns


def _check_banks(
    record: Mapping[str, Any],
    played: Sequence[RecordedMove],
    evidence: Evidence,
    remote: set[int],
    bots: Mapping[int, str],
) -> None:
    """Assert that the reported `charged_ms` follow from the times in the record."""
    clock = record["clock"]
    reported = {
        (seat, result["turn"]): result["charged_ms"]
        for seat in remote
        for result in evidence.acknowledged[bots[seat], record["id"]]
        if result["turn"] is not None
    }
    banks = dict.fromkeys(remote, clock["bank_ms"])
    for each in played:
        if each.turn is None or each.seat not in remote or each.by == "forfeit":
            continue
        charged = min(max(0, each.ms - clock["move_ms"]), banks[each.seat])
        if each.by == "timeout":
            assert each.ms == clock["move_ms"] + banks[each.seat], (
                f"{each}: a timeout uses up allowance and bank"
            )
            banks[each.seat] = 0
            continue
        assert reported.get((each.seat, each.turn), charged) == charged, (
            f"{each}: expected charge {charged} ms"
        )
        banks[each.seat] += clock["increment_ms"] - charged


def _moves(exchange: Exchange) -> Iterator[tuple[str, int | str, str]]:
    """Yield the moves of a request as match, turn or 'deal N', and text."""
    if exchange.method != "POST" or exchange.body is None:
        return
    if exchange.path.endswith("/moves"):
        moves = [{**exchange.body, "match": exchange.path.split("/")[3]}]
    elif exchange.path == "/v1/turns":
        moves = exchange.body.get("moves", [])
    else:
        return
    for move in moves:
        yield move["match"], move["turn"] if "turn" in move else f"deal {move['deal']}", move["move"]
