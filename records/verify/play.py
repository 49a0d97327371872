"""The replay of a record: chance, legality, turns, clocks, timeouts, safe moves and forfeits."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from engine.game import CHANCE, Move, Refusal
from engine.match import Match, MatchState, parse_deck
from records.match.continuation import Continuation
from records.verify.form import Finding, shown
from records.verify.table import AgreedTable


@dataclass
class ReplayedMatch:
    """The result of a replay."""

    state: MatchState | None
    """The state after the last move; `None` if the match never began."""
    bank: list[int]
    strikes: list[int]
    findings: list[Finding] = field(default_factory=list)
    whole: bool = True
    """Whether all moves could be made."""
    struck: dict[int, int] = field(default_factory=dict)
    """By seat, the number of the move that was its last strike."""
    left: dict[int, int] = field(default_factory=dict)
    """By seat forfeited for another reason, the number of the first safe move made for it."""
    deal: int = 0
    """The deal of the last move."""
    moves: int = 0
    """How many moves of that deal there were."""
    last_own: dict[int, int] = field(default_factory=dict)
    """By seat, the number of its last move before it was forfeited."""

    @property
    def gone(self) -> set[int]:
        """The seats known to be forfeited at this point."""
        return {*self.struck, *self.left}


def replayed(record: dict[str, Any], agreed: AgreedTable) -> ReplayedMatch:
    """Replay the moves of a record as far as possible."""
    seats, clock = len(record["seats"]), record["clock"]
    played = ReplayedMatch(None, [clock["bank_ms"]] * seats, [0] * seats)
    if agreed.match is None:
        if record["moves"]:
            finding = Finding(
                "moves", f"there are {len(record['moves'])}", "none, since the match never began"
            )
            played.findings.append(finding)
        return played
    played.state = agreed.match.begin()
    replay = _Replay(record, agreed, agreed.match, played)
    place, reached = agreed.continues, False
    for number, entry in enumerate(record["moves"]):
        state = replay.move(f"moves[{number}]", number, entry, played.state)
        if state is None:
            played.whole = False
            break
        played.state = state
        reached = reached or (place is not None and _is_at(place, state, played))
    if place is not None and played.whole and not reached:
        wrong = f"its moves do not lead to move {place.move} of deal {place.deal} with a seat to move"
        played.findings.append(Finding("continues", wrong, "a position that the repeated moves reach"))
    return played


def _is_at(place: Continuation, state: MatchState, played: ReplayedMatch) -> bool:
    moves = played.moves if played.deal == state.number else 0
    return (state.number, moves) == (place.deal, place.move) and not state.over and state.to_move != CHANCE


def sides_left(sides: tuple[int, ...], forfeited: Iterable[int]) -> int:
    """Return how many sides have a seat left that isn't forfeited."""
    without = set(forfeited)
    return len({side for seat, side in enumerate(sides) if seat not in without})


class _Replay:
    """Replays one move at a time. Adds errors to `played.findings` and keeps clocks and forfeits in `played`."""

    def __init__(
        self, record: dict[str, Any], agreed: AgreedTable, match: Match, played: ReplayedMatch
    ) -> None:
        self.record, self.agreed, self.match, self.played = record, agreed, match, played
        self.clock: dict[str, int] = record["clock"]

    def move(self, where: str, number: int, entry: dict[str, Any], state: MatchState) -> MatchState | None:
        """Return the state after the move; `None` for an impossible one."""
        if state.over or sides_left(self.agreed.sides, self.played.gone) <= 1:
            return self._stopped(where, "the match was over before it", "no further move")
        if state.to_move == CHANCE:
            return self._deal(where, entry, state)
        self._continues(where, entry, state)
        seat, text = entry["seat"], entry["move"]
        try:
            if seat is None or seat >= self.match.game.seats:
                raise Refusal
            move = self.match.parse(state, seat, text)
        except Refusal:
            return self._refused(where, entry, state)
        if self.match.answers(state, seat, move):
            self._answer(where, number, entry, state)
        else:
            self._free_move(where, number, entry)
        return self.match.play(state, seat, move)

    def _deal(self, where: str, entry: dict[str, Any], state: MatchState) -> MatchState | None:
        right = self.agreed.deck(state.number)
        if entry["seat"] is not None:
            return self._stopped(
                f"{where}.seat", f"seat {entry['seat']} moves before the cards are dealt", "null"
            )
        for name in ("ms", "by"):
            if name in entry:
                self._found(f"{where}.{name}", f"chance has {shown(entry[name])}", "no such field")
        if entry["move"] != right:
            self._found(
                f"{where}.move",
                f"the deck of deal {state.number} is {shown(entry['move'])}, which does not follow from the shuffle",
                right,
            )
        try:
            return self.match.deal(state, parse_deck(entry["move"]))
        except Refusal:
            return None  # reported above, because the right deck is a deck

    def _refused(self, where: str, entry: dict[str, Any], state: MatchState) -> MatchState | None:
        seat, text, asked = entry["seat"], entry["move"], state.to_move
        able = [other for other in range(self.match.game.seats) if self._can(state, other, text)]
        if able or seat != asked:
            right = " or ".join(map(str, able or [asked]))
            return self._stopped(
                f"{where}.seat", f"it is {shown(seat)} for {shown(text)}; seat {asked} is asked", right
            )
        legal = ", ".join(self._may(state, asked))
        return self._stopped(
            f"{where}.move", f"{shown(text)} is not legal for seat {seat}", f"one of {legal}"
        )

    def _can(self, state: MatchState, seat: int, text: str) -> bool:
        return text in self._may(state, seat)

    def _may(self, state: MatchState, seat: int) -> list[str]:
        return [*self.match.legal_texts(state, seat), *self.match.free_texts(state, seat)]

    def _continues(self, where: str, entry: dict[str, Any], state: MatchState) -> None:
        """Check that exactly the moves before the position at which the match began are repeated ones."""
        place = self.agreed.continues
        if state.number != self.played.deal:
            self.played.deal, self.played.moves = state.number, 0
        self.played.moves += 1
        due = place is not None and (state.number, self.played.moves) <= (place.deal, place.move)
        if due != (entry.get("by") == "continued"):
            right = (
                "`continued`, before the position at which it began" if due else "no move of another match"
            )
            self._found(f"{where}.by", f"it is {shown(entry.get('by'))}", right)

    def _free_move(self, where: str, number: int, entry: dict[str, Any]) -> None:
        if entry.get("by") == "continued":
            if "ms" in entry:
                self._found(f"{where}.ms", "a free move takes no time", "no such field")
            return
        for name in ("ms", "by"):
            if name in entry:
                wrong = f"a move that answers no question has {shown(entry[name])}"
                self._found(f"{where}.{name}", wrong, "no such field")
        if entry["seat"] in self.played.gone:
            self._found(f"{where}.seat", "the seat was forfeited before", "no move of its own")
        self.played.last_own[entry["seat"]] = number

    def _answer(self, where: str, number: int, entry: dict[str, Any], state: MatchState) -> None:
        seat, by = entry["seat"], entry.get("by")
        if "ms" not in entry:
            self._found(f"{where}.ms", "it is missing", "the time that the answer took, in ms")
        ms = entry.get("ms", 0)
        if by == "continued":
            if ms != 0:
                self._found(f"{where}.ms", f"it is {ms}", "0, as for every repeated move")
            return
        if by is not None:
            self._is_safe(where, entry, state)
        if seat in self.played.gone and by != "forfeit":
            self._found(f"{where}.by", f"it is {shown(by)}, but the seat was forfeited before", "`forfeit`")
        elif by == "forfeit":
            self._for_forfeited(where, number, seat, ms)
        elif by == "timeout":
            self._timeout(where, number, seat, ms)
        else:
            self._own(where, number, seat, ms)

    def _own(self, where: str, number: int, seat: int, ms: int) -> None:
        self.played.last_own[seat] = number
        if self.agreed.house[seat]:
            return
        bank, clock = self.played.bank[seat], self.clock
        most = clock["move_ms"] + bank + clock["grace_ms"]
        if ms > most:
            self._found(f"{where}.ms", f"it is {ms}", f"at most {most}: move, bank of {bank} and grace")
        charged = min(max(0, ms - clock["move_ms"]), bank)
        self.played.bank[seat] = bank - charged + clock["increment_ms"]

    def _timeout(self, where: str, number: int, seat: int, ms: int) -> None:
        self.played.last_own[seat] = number
        if self.agreed.house[seat]:
            self._found(f"{where}.by", "no clock runs against a bot of the house", "no such field")
            return
        allowed = self.clock["move_ms"] + self.played.bank[seat]
        if ms != allowed:
            bank = self.played.bank[seat]
            self._found(
                f"{where}.ms", f"it is {ms}", f"{allowed}: a timeout takes the move and the bank of {bank}"
            )
        self.played.bank[seat] = 0
        self.played.strikes[seat] += 1
        if self.played.strikes[seat] >= self.clock["strikes"]:
            self.played.struck[seat] = number

    def _for_forfeited(self, where: str, number: int, seat: int, ms: int) -> None:
        if ms != 0:
            self._found(f"{where}.ms", f"it is {ms}", "0, as for every move for a forfeited seat")
        if seat in self.played.gone:
            return
        if seat not in self.record["forfeits"] or self.agreed.house[seat]:
            self._found(f"{where}.by", "it is `forfeit`, but the seat was not forfeited", "no such field")
            return
        if sides_left(self.agreed.sides, {*self.played.gone, seat}) <= 1:
            self._found(where, "the match was over when this seat was forfeited", "no further move")
        self.played.left[seat] = number

    def _is_safe(self, where: str, entry: dict[str, Any], state: MatchState) -> None:
        safe: Move = self.match.game.safe_move(state.deal)
        right = self.match.text(state, safe)
        if entry["move"] != right:
            self._found(
                f"{where}.move", f"{shown(entry['move'])} is not the safe move that the referee makes", right
            )

    def _stopped(self, where: str, wrong: str, right: str) -> MatchState | None:
        """Report an impossible move, after which there is no state."""
        self._found(where, wrong, right)
        return None

    def _found(self, where: str, wrong: str, right: str) -> None:
        self.played.findings.append(Finding(where, wrong, right))
