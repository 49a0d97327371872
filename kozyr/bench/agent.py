"""The agent of a bench: what it answers is read as MCP's tools do, counted, and may be asked with other suits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from bots.house import HOUSE_BOTS
from engine.relabelling import ALL_RELABELLINGS, Suits, undone
from kozyr.local.match import BotAnswer, BotQuestion, Chair, NoAnswer
from kozyr_client.facts import facts_field
from records.match.move_requests import USAGE
from records.match.relabelled import relabelled_move
from records.words.reading import MENDINGS, UnclearMove, read_move


class HouseChair:
    """A house bot that answers at once."""

    def __init__(self, name: str) -> None:
        self._player = HOUSE_BOTS[name]

    def answer(self, question: BotQuestion) -> BotAnswer:
        """Return its move."""
        legal, seen = question.legal_moves(), question.observation()
        place = self._player.pick(len(legal) + len(seen["free_moves"]), question.rng)
        if place is not None:
            return BotAnswer([*legal, *seen["free_moves"]][place])
        return BotAnswer(self._player.choose(question.game, seen, legal, question.rng))


class CountedChair:
    """A chair whose answers are read and counted. `take` returns the counts since it was last called."""

    def __init__(
        self,
        chair: Chair,
        refused: Callable[[], int] = lambda: 0,
        ended: Callable[[dict[str, Any]], object] = lambda over: None,
    ) -> None:
        """`refused` returns how many answers the chair itself has refused so far. `ended` is called with the view of
        each finished match (`records.match.views.finished_view`)."""
        self._chair, self._refused, self.ended = chair, refused, ended
        self._refused_before = 0
        self.has_answered = False
        """Whether any answer was a move."""
        self.suits: Suits = ALL_RELABELLINGS[0]
        """The suits that the agent sees."""
        self._counts: Counter[str] = Counter()

    def answer(self, question: BotQuestion) -> BotAnswer:
        """Return the agent's move with the suits of the deck. Raise `NoAnswer`, also for a text that is no move."""
        seen = question if self.suits == ALL_RELABELLINGS[0] else question.relabelled(self.suits)
        counts = self._counts
        counts["asked"] += 1
        try:
            answer = self._chair.answer(seen)
        except NoAnswer:
            counts["failed"] += 1
            raise
        counts["ms"] += answer.ms
        facts = facts_field(answer.facts).get("facts", {})
        counts.update({name: facts[name] for name in USAGE if name in facts})
        try:
            read = read_move(answer.move, _moves(seen))
        except UnclearMove as why:
            counts["refused"] += 1
            raise NoAnswer(f"{answer.move!r} was not read as a move: {why}") from why
        self.has_answered = True
        mended = [*(each for each in facts.get("mended", ()) if each in MENDINGS), *read.mended]
        counts["mended"] += bool(mended)
        counts.update({f"mended:{name}": 1 for name in mended})
        move = (
            read.move
            if seen is question
            else relabelled_move(_moves(question), read.move, undone(self.suits))
        )
        return answer._replace(move=move)

    def take(self) -> dict[str, int]:
        """Return the counts since the last call."""
        now = self._refused()
        self._counts["refused"] += now - self._refused_before
        self._refused_before = now
        found, self._counts = dict(sorted((+self._counts).items())), Counter()
        return found


def _moves(question: BotQuestion) -> list[str]:
    return [*question.legal_moves(), *question.observation()["free_moves"]]
