"""King: compare what the trick would score now with what the card would score later.

The value of a card is

    P(it takes the trick) * (points of the trick)  -  (expected points of the card later).

With negative points the bot ducks and discards dangerous cards. With positive points it takes tricks cheaply and keeps
its winners. It assumes that all unseen cards are in the hands of the other three players.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, Final, NamedTuple

from engine.cards import CARD_OF_TEXT, CARD_TEXT, HIGHER, SUIT_MASK, SUITS, mask_of
from engine.game import Game
from engine.games.king import CONTRACTS, PACK, TRICKS, Contract, points_of

_PACK: Final = mask_of(PACK)
_LOWER: Final = tuple(SUIT_MASK[card & 3] & ~HIGHER[card] & ~(1 << card) & _PACK for card in range(52))
_CONTRACT: Final = {contract.name: contract for contract in CONTRACTS}
_BIT: Final = {CARD_TEXT[card]: 1 << card for card in PACK}
_CARD_OF_MOVE: Final = {f"play {CARD_TEXT[card]}": card for card in PACK}


def _worth(contract: Contract) -> tuple[int, ...]:
    return tuple(points_of(contract, 1, [card]) - contract.trick for card in range(52))


_WORTH: Final = {name: _worth(contract) for name, contract in _CONTRACT.items()}
_SCORING: Final = {name: [card for card in PACK if worth[card]] for name, worth in _WORTH.items()}


class _Table(NamedTuple):
    """The quantities on which the choice of a card depends."""

    contract: Contract
    worth: Sequence[int]
    trump: int
    beaters: Sequence[int]
    """By card, the cards of its suit that beat it."""
    losers: Sequence[int]
    """By card, the cards of its suit that it beats."""
    unseen: int
    """The cards in the other hands."""
    lengths: Sequence[int]
    """By suit, the number of cards held."""
    trick: Sequence[int]
    now: float
    """The expected points of the present trick."""
    later: float
    """The average points of a later trick."""
    wanted: bool
    """Whether tricks score positive points."""


def choose(game: Game, observation: Mapping[str, Any], legal_moves: Sequence[str], rng: Random) -> str:
    """Return the card with the highest value, or a declaration from three cards."""
    if observation["question"] == "declare":
        return _declare([CARD_OF_TEXT[card] for card in observation["hand"]])
    table = _table(observation)
    return max(legal_moves, key=lambda move: _value(table, _CARD_OF_MOVE[move]))


def _declare(hand: Sequence[int]) -> str:
    """Return `miser` with low cards, else the strongest suit, or `last` if none is strong."""
    ranks = [card - PACK[0] >> 2 for card in hand]
    if sum(ranks) <= 7:
        return "declare miser"
    strength = [0, 0, 0, 0]
    for card, rank in zip(hand, ranks, strict=True):
        strength[card & 3] += 5 + rank
    best = max(range(4), key=strength.__getitem__)
    return f"declare {SUITS[best]}" if strength[best] >= 14 else "declare last"


def _table(seen: Mapping[str, Any]) -> _Table:
    contract = _CONTRACT[seen["contract"]]
    worth = _WORTH[contract.name]
    trick = [CARD_OF_TEXT[card] for _, card in seen["trick"]]
    own = sum([_BIT[card] for card in seen["hand"]])
    gone = sum([_BIT[card] for taken in seen["taken"] for card in taken]) | mask_of(trick)
    unseen = _PACK & ~gone & ~own
    others = unseen.bit_count()
    hidden = sum([worth[card] for card in _SCORING[contract.name] if unseen >> card & 1])
    per_card = hidden / others if others else 0.0
    number = sum(seen["tricks_taken"]) + 1
    now = 0.0 + contract.trick + (contract.last_two if number > TRICKS - 2 else 0)
    now += sum([worth[card] for card in trick]) + per_card * (3 - len(trick))
    left = TRICKS - number
    later = contract.trick + 3 * per_card + (contract.last_two * min(left, 2) / left if left else 0)
    beaters, losers = (_LOWER, HIGHER) if seen["miser"] else (HIGHER, _LOWER)
    trump = SUITS.index(seen["trump"]) if seen["trump"] else -1
    lengths = [(own & suit).bit_count() for suit in SUIT_MASK]
    wanted = contract.trick > 0
    return _Table(contract, worth, trump, beaters, losers, unseen, lengths, trick, now, later, wanted)


def _value(table: _Table, card: int) -> float:
    worth = table.worth[card]
    kept = _strength(table, card)
    value = _takes(table, card) * (table.now + worth) - kept * table.later - worth * (0.25 + 0.5 * kept)
    return value if table.wanted else value + 1.0 / table.lengths[card & 3]  # prefer short suits


def _takes(table: _Table, card: int) -> float:
    """Return the probability that the card takes the present trick."""
    trick, trump = table.trick, table.trump
    if not trick:
        return _leads(table, card)
    led, best = trick[0] & 3, trick[0]
    for other in trick:
        if other & 3 == best & 3:
            best = other if table.beaters[best] >> other & 1 else best
        elif other & 3 == trump:
            best = other
    if card & 3 == best & 3:
        if not table.beaters[best] >> card & 1:
            return 0.0
    elif card & 3 != trump:
        return 0.0
    behind = 3 - len(trick)
    if not behind:
        return 1.0
    over = (table.beaters[card] & table.unseen).bit_count()
    if not table.wanted:
        over = min(over, 2)  # the players behind prefer to duck
    elif trump >= 0 and card & 3 == led != trump and table.unseen & SUIT_MASK[trump]:
        over += 1
    return float((1 - behind / 3) ** over) if behind < 3 else 0.0


def _leads(table: _Table, card: int) -> float:
    """Return the probability that a card takes the trick that it leads."""
    over = (table.beaters[card] & table.unseen).bit_count()
    under = (table.losers[card] & table.unseen).bit_count()
    if table.wanted:
        if over:
            return 0.25 / over
        ruffs = table.trump >= 0 and card & 3 != table.trump and bool(table.unseen & SUIT_MASK[table.trump])
        return min(1.0, 0.3 + 0.15 * under) if ruffs else 1.0
    return under / (over + under) if over + under else 1.0


def _strength(table: _Table, card: int) -> float:
    """Return the probability that the card takes a later trick."""
    over = (table.beaters[card] & table.unseen).bit_count()
    under = (table.losers[card] & table.unseen).bit_count()
    if table.wanted:
        if card & 3 == table.trump:
            return 0.9 ** (1 + over)
        return 0.5**over * (0.7 if table.trump >= 0 else 0.9)
    return under / (over + under) if over + under else 0.5
