"""Positions of the pile games in one line of text, and play from them."""

from __future__ import annotations

from collections.abc import Sequence

from engine.cards import CARD_OF_TEXT, CARD_TEXT, SUITS, cards_of, mask_of
from engine.games.svoi_kozyri import SvoiKozyri
from engine.pile import Dealt, PileGame, PileState


def cards(texts: str) -> list[int]:
    """Return the cards of a text such as `6H TD`."""
    return [CARD_OF_TEXT[text] for text in texts.split()]


def position(
    game: PileGame,
    hands: Sequence[str],
    pile: str = "",
    *,
    stock: str = "",
    trump: str = "D",
    to_move: int = 0,
    free: bool = False,
    moves: int = 0,
    dealer: int = 0,
) -> PileState:
    """Return the state with these hands, pile (the top card last) and stock. Only Kryt' uses `trump`."""
    masks = tuple([mask_of(cards(hand)) for hand in hands])
    own = game.options["trumps"] if isinstance(game, SvoiKozyri) else trump * game.seats
    dealt = Dealt(dealer, tuple([SUITS.index(suit) for suit in own]), masks, ())
    shown = mask_of(cards(pile) + cards(stock)[-1:])
    return game.ask(to_move, masks, tuple(cards(pile)), tuple(cards(stock)), shown, free, moves, dealt)


def after(game: PileGame, state: PileState, *moves: str) -> PileState:
    """Return the state after these moves: `1: exchange` by seat 1, or `beat 7H TH` by the seat to move."""
    for line in moves:
        seat, text = line.split(": ") if ": " in line else (str(state.to_move), line)
        state = game.play(state, int(seat), game.parse(state, int(seat), text))
    return state


def legal(game: PileGame, state: PileState) -> set[str]:
    """Return the texts of the legal answers."""
    return {game.text(state, move) for move in state.legal}


def deck(game: PileGame, dealer: int, hands: Sequence[str], rest: str = "") -> list[int]:
    """Return a deck that deals these hands of equal or decreasing length, then `rest`, then the other cards."""
    clockwise = [cards(hands[(dealer + 1 + step) % game.seats]) for step in range(game.seats)]
    first = [hand[turn] for turn in range(len(clockwise[0])) for hand in clockwise if turn < len(hand)]
    named = first + cards(rest)
    return named + [card for card in game.pack if card not in named]


def hand(state: PileState, seat: int) -> str:
    """Return the cards of a hand as text, by rank, then by suit."""
    return " ".join([CARD_TEXT[card] for card in cards_of(state.hands[seat])])


def pile(state: PileState) -> str:
    """Return the cards of the pile as text, the top card last."""
    return " ".join([CARD_TEXT[card] for card in state.pile])
