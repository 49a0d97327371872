"""Moves as action numbers: at a given table, each text of a move always has the same number.

There is no list of the texts. The module forms all sentences from a game's verbs and arguments, and keeps those that
the game does not refuse with `NotAMove`. They are numbered in the order of the verbs, then of the cards.

A verb that takes three cards takes sets of cards (Durak's batches: up to 2.4 million). Such a move is **spelt**: the
verb with its first card is one action, `and C` each further card, and `done` ends the move. The cards are in
ascending order, so each move has one spelling. `done` is required even where no other card could follow, so the
spelling depends only on the move.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import permutations
from typing import Any, Final

from engine.cards import CARD_TEXT
from engine.game import Game, IllegalMove, NotAMove

DONE: Final = "done"


class Actions:
    """The actions of a table. `texts[action]` is the text of an action."""

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
        """Return, by action in ascending order, the text so far and whether it is the whole move.

        `legal` holds the texts of all legal moves, and `spelt` the part of a move that has been spelt so far. Raise
        `KeyError` for a text without a number.
        """
        choices = dict(
            self._choice(text, spelt or "") for text in legal if f"{text} ".startswith(f"{spelt or text} ")
        )
        return dict(sorted(choices.items()))

    def _choice(self, text: str, spelt: str) -> tuple[int, tuple[str, bool]]:
        """Return the next action towards the move `text`, which begins with `spelt`."""
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
    """Yield the moves with this verb: alone, or with a word, a card or two cards. Of spelt moves, yield the start."""
    cards = [CARD_TEXT[card] for card in game.pack]
    arguments = [*game.words, *cards]
    # A verb takes two cards if it takes the first two of the pack, in either order.
    if not spelt and any(
        _is_a_move(game, state, f"{verb} {one} {other}") for one, other in permutations(cards[:2])
    ):
        arguments += [f"{one} {other}" for one, other in permutations(cards, 2)]
    yield from [
        text for text in (verb, *[f"{verb} {some}" for some in arguments]) if _is_a_move(game, state, text)
    ]


def _is_a_move(game: Game, state: Any, text: str) -> bool:
    """Return whether the text is a move of the game, legal or not in this state."""
    try:
        game.parse(state, state.to_move, text)
    except NotAMove:
        return False
    except IllegalMove:
        return True
    return True
