"""What must hold of what was played, whatever happened on the way: from the outside only, by the records and by what
went between the bots and the service. docs/guarantees.md has it in words, under "Exactly once, in time".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from engine.match import Match, parse_deck
from engine.registry import GAMES
from tests.support.fault_proxy import Exchange

CREDITED_S: Final = 1.0
"""Outages of this length and more are given back."""
RUN_ON_S: Final = 0.35
"""So long service time runs on after the last heartbeat; it never steps back, so this much of an outage may stay."""
SLACK_MS: Final = 60
"""Of instants measured outside: a heartbeat that was on its way when the outage began, and rounding."""

Key = tuple[str, int, int | str]
"""Match, seat and turn; of a free move its deal and text."""


class Played(NamedTuple):
    """A move of a record, with what the record leaves to be reckoned."""

    seat: int
    turn: int | None
    """The question that it answered; None for a free move."""
    deal: int
    move: str
    ms: int
    by: str | None

    @property
    def key(self) -> int | str:
        """What it is known by, besides match and seat."""
        return self.turn if self.turn is not None else f"{self.move} in deal {self.deal}"


class Outage(NamedTuple):
    """A time in which nobody served, by `time.monotonic()`: it had begun at `began`, and was not over at `ended`."""

    what: str
    began: float
    ended: float


def replay(record: Mapping[str, Any]) -> list[Played]:
    """The moves of a record by the rules alone. Fails where they are not legal or lead to other scores."""
    game = GAMES[record["game"]].table(len(record["seats"]), record["options"])
    match = Match(game, None if game.fixed_deals else record["deals"], record["dealer"])
    state = match.begin()
    played: list[Played] = []
    turn = 1
    for said in record["moves"]:
        if said["seat"] is None:
            state = match.deal(state, parse_deck(said["move"]))
            continue
        seat, deal = said["seat"], state.number
        move = match.parse(state, seat, said["move"])
        answers, on_turn = match.answers(state, seat, move), state.to_move == seat
        assert answers == ("ms" in said), f"{said}: only what answers a question takes time"
        answered, ms = (turn, said["ms"]) if answers else (None, 0)
        played.append(Played(seat, answered, deal, said["move"], ms, said.get("by")))
        state = match.play(state, seat, move)
        # A free move of the seat on turn, or one that ends its deal, takes the number of the open question with it.
        turn += answers or on_turn or state.deal is None or state.over
    if not state.over:
        assert record["ending"] in ("forfeit", "resigned"), record["ending"]
        state = match.cut_short(state, record["forfeits"])
    assert list(state.scores) == record["scores"], "the moves lead to the scores"
    return played


class Evidence:
    """What a journal shows: the moves that were sent, what was acknowledged, and when a match had come how far."""

    def __init__(self, journal: Iterable[Exchange]) -> None:
        self.sent: dict[tuple[str, str, int | str, str], float] = {}
        """When (bot, match, turn or 'deal N', text) was first sent whole: before its first byte went."""
        self.acknowledged: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
        """By bot and match, each result that the service gave, with `sent_with`: the move as it was sent."""
        self.reached: dict[str, list[tuple[int, float]]] = defaultdict(list)
        """By match, (turn, when): by then the service had told somebody that this turn was asked, or gone by."""
        for exchange in journal:
            self._read(exchange)

    def when(self, match: str, turn: int) -> float:
        """When it was first known that the match had come to this turn, or beyond."""
        return min((when for reached, when in self.reached[match] if reached >= turn), default=float("inf"))

    def _read(self, exchange: Exchange) -> None:
        moves = list(_moves(exchange))
        if exchange.whole:
            for match, key, move in moves:
                known = self.sent.get((exchange.bot, match, key, move), float("inf"))
                self.sent[exchange.bot, match, key, move] = min(known, exchange.began)
        said = exchange.answer
        if exchange.status != 200 or exchange.answered is None or not isinstance(said, dict):
            return
        results = said.get("results", [said] if moves else [])
        for (match, key, move), result in zip(moves, results, strict=True):
            if "problem" in result:
                continue
            assert (result["match"], result["move"]) == (match, move), (
                "the answer is to the move that was sent"
            )
            self.acknowledged[exchange.bot, match].append({**result, "sent_with": key})
            if result["turn"] is not None:
                self.reached[match].append((result["turn"] + 1, exchange.answered))
        for turn in [*said.get("turns", []), *filter(None, [said.get("next")])]:
            self.reached[turn["match"]].append((turn["turn"], exchange.answered))
        for over in (
            [*(said.get("finished") or [])] if "turns" in said else filter(None, [said.get("finished")])
        ):
            self.reached[over["match"]].append((1 << 62, exchange.answered))
        if said.get("status") == "running":
            self.reached[said["id"]].append((said["turn"] or 0, exchange.answered))


class Verdict(NamedTuple):
    """What a record was found to hold."""

    moves: int
    exchanges: int
    acknowledged: int
    timeouts: int
    longest_ms: int


def judge(
    record: Mapping[str, Any], evidence: Evidence, created: float, outages: Sequence[Outage]
) -> Verdict:
    """Holds a match's record against what went over the wire. `created` is when its creation was first asked for."""
    match, played = record["id"], replay(record)
    bots = {seat: sitting["bot"] for seat, sitting in enumerate(record["seats"])}
    remote = {seat for seat, bot in bots.items() if not bot.startswith("house/")}
    assert record["ending"] in ("rules", "forfeit"), record["ending"]
    own = {(each.seat, each.key): each for each in played if each.by is None and each.seat in remote}
    assert len(own) == sum(each.by is None and each.seat in remote for each in played), (
        "each key is there once"
    )
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
            assert there is not None, f"{match}: acknowledged and not in the record: {result}"
            assert (there.by, there.move) == (None, result["move"]), f"{match}: {result} became {there}"
            if there.turn is not None:
                assert result["ms"] == there.ms, f"{match}: {result} became {there}"
            same = {name: result[name] for name in ("turn", "move", "ms", "charged_ms")}
            assert first.setdefault(key, same) == same, f"{match}: {result} was first answered {first[key]}"
            if not result["replayed"]:
                assert key not in made, f"{match}: {result} was made twice"
                made.add(key)
    _check_banks(record, played, evidence, remote, bots)
    _check_times(record, played, evidence, remote, bots, created, outages)
    return Verdict(
        len(own),
        sum(each.turn is None for each in own.values()),
        acknowledged,
        sum(each.by == "timeout" for each in played),
        max((each.ms for each in own.values()), default=0),
    )


def sent_by_its_bots(record: Mapping[str, Any], played: Sequence[Played], evidence: Evidence) -> None:
    """Every move of a bot's own was sent by it, whole, for its turn; a free move for its deal."""
    for each in played:
        bot = record["seats"][each.seat]["bot"]
        if each.by is not None or bot.startswith("house/"):
            continue
        key = each.turn or f"deal {each.deal}"
        assert (bot, record["id"], key, each.move) in evidence.sent, f"{record['id']}: {each} was never sent"


def _check_times(
    record: Mapping[str, Any],
    played: Sequence[Played],
    evidence: Evidence,
    remote: set[int],
    bots: Mapping[int, str],
    created: float,
    outages: Sequence[Outage],
) -> None:
    """No more is on a bot's clock than went by, outside, between the question and its answer, outages taken off; and
    nobody was out of time before that much had gone by."""
    match, asked_after = record["id"], created
    for each in played:
        if each.turn is None:
            continue
        answered_by = evidence.when(match, each.turn + 1)
        if each.seat in remote and each.by != "forfeit" and answered_by < float("inf"):
            went_by = (answered_by - asked_after) * 1000
            ours = sum(
                (outage.ended - outage.began - RUN_ON_S) * 1000
                for outage in outages
                if outage.ended - outage.began >= CREDITED_S
                and asked_after <= outage.began
                and outage.ended <= answered_by
            )
            grace = record["clock"]["grace_ms"] if each.by == "timeout" else 0
            assert each.ms + grace <= went_by - ours + SLACK_MS, (
                f"{match}: {each} where {went_by:.0f} ms went by, {ours:.0f} of them ours"
            )
        # The next question was asked after this one was answered, and that not before it was first sent.
        asked_after += each.ms / 1000 if each.seat in remote and each.by != "forfeit" else 0
        sent = evidence.sent.get((bots[each.seat], match, each.turn, each.move))
        if each.by is None and sent is not None:
            asked_after = max(asked_after, sent)


def _check_banks(
    record: Mapping[str, Any],
    played: Sequence[Played],
    evidence: Evidence,
    remote: set[int],
    bots: Mapping[int, str],
) -> None:
    """What was told to be charged is what the record's times come to."""
    clock = record["clock"]
    told = {
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
            assert each.ms == clock["move_ms"] + banks[each.seat], f"{each}: all that there was"
            banks[each.seat] = 0
            continue
        assert told.get((each.seat, each.turn), charged) == charged, (
            f"{each}: {charged} ms, but told otherwise"
        )
        banks[each.seat] += clock["increment_ms"] - charged


def _moves(exchange: Exchange) -> Iterator[tuple[str, int | str, str]]:
    """The moves of a request: match, turn or 'deal N', text."""
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
