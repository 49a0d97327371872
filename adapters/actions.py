"""Moves as the numbers that learners want: by table, each text of a move has one number, always the same.

The texts are not listed anywhere: of all sentences made of a game's verbs and what can follow them, those are a
table's that the game does not refuse as no move at all. They are numbered in the order of the verbs, then of the cards.

A verb that takes three cards takes sets of them (Durak's batches: up to 2.4 million). Such a move is **spelt**: the
verb with its first card is one action, `and C` each further card, and `done` ends it. The cards stand in ascending
order, so each move has one spelling. `done` is asked for even where nothing else could follow: what a spelling looks
like depends on the move alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import permutations
from typing import Any, Final

from engine.cards import CARD_TEXT
from engine.game import Game, IllegalMove, NotAMove

DONE: Final = "done"


class Actions:
    """The actions of a table: `texts[action]`, and what answers which action."""

    def __init__(self, game: Game) -> None:
        cards = [CARD_TEXT[card] for card in game.pack]
        three = " ".join(cards[:3])
        state = game.deal(1, 0, game.pack)
        self.spelt = frozenset(verb for verb in game.verbs if _is_a_move(game, state, f"{verb} {three}"))
        """The verbs whose moves are spelt."""
        texts = [text for verb in game.verbs for text in _sentences(game, state, verb, verb in self.spelt)]
        if self.spelt:
            texts += [*[f"and {card}" for card in cards], DONE]
        self.texts: tuple[str, ...] = tuple(texts)
        self._number = {text: action for action, text in enumerate(self.texts)}

    def choices(self, legal: Iterable[str], spelt: str | None) -> dict[int, tuple[str, bool]]:
        """By action, in ascending order: the text so far, and whether that is the whole move.

        `legal` are the texts of all moves that may be made, `spelt` what has been spelt of one of them already.
        Raises `KeyError` for a text that has no number.
        """
        found = dict(
            self._choice(text, spelt or "") for text in legal if f"{text} ".startswith(f"{spelt or text} ")
        )
        return dict(sorted(found.items()))

    def _choice(self, text: str, spelt: str) -> tuple[int, tuple[str, bool]]:
        """The next action on the way to a move that begins with what has been spelt."""
        verb, *cards = text.split(" ")
        if verb not in self.spelt:
            return self._number[text], (text, True)
        if text == spelt:
            return self._number[DONE], (text, True)
        if not spelt:
            return self._number[f"{verb} {cards[0]}"], (f"{verb} {cards[0]}", False)
        following = text[len(spelt) :].split(" ")[1]
        return self._number[f"and {following}"], (f"{spelt} {following}", False)


def _sentences(game: Game, state: Any, verb: str, spelt: bool) -> Iterator[str]:
    """The moves with this verb: alone, with a word, a card or two cards; of moves that are spelt, the beginnings."""
    cards = [CARD_TEXT[card] for card in game.pack]
    arguments = [*game.words, *cards]
    # A verb that takes two cards takes the first two of the pack, in one order or the other.
    if not spelt and any(
        _is_a_move(game, state, f"{verb} {one} {other}") for one, other in permutations(cards[:2])
    ):
        arguments += [f"{one} {other}" for one, other in permutations(cards, 2)]
    yield from [
        text for text in (verb, *[f"{verb} {some}" for some in arguments]) if _is_a_move(game, state, text)
    ]


def _is_a_move(game: Game, state: Any, text: str) -> bool:
    """Whether this is the text of a move of the game at all, legal or not in this state."""
    try:
        game.parse(state, state.to_move, text)
    except NotAMove:
        return False
    except IllegalMove:
        return True
    return True
