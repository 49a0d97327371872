"""Determinizations: states that agree with everything a seat has seen, and are never the real state.

The determinizer draws a deck that agrees with what the seat knows, and replays the moves of the deal with it. It
discards the result unless the seat would see in it exactly what it does see.

A seat knows for each card its possible places. A **place** is an index of the deck, and a set of places is a mask. The
hand to which a place went, and when, is public, because the deal and the draws have fixed orders. A seat knows which
cards were at its own places. A card that another seat has shown or played was at one of the places which that seat had
received by then, unless the card came to that hand in view of all. Any other card may be at any other place.

A determinization is therefore a deck with each card at one of its possible places. Only decks are drawn at random;
the rules compute everything else.

Choices of other players may speak against a place without making it impossible: doubts. Only `search` heeds them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from random import Random
from types import MappingProxyType
from typing import Any, Final, Protocol

from engine.cards import CARD_OF_TEXT, cards_of, mask_of
from engine.game import Game, IllegalMove, Move

Events = Sequence[Mapping[str, Any]]

TRIES = 8
"""The number of random fillings to try before falling back to bipartite matching."""
HEED: Final = 0.85
"""The share of cards at doubted places that are moved. In Durak, `search` beats or throws in 85 % of the cases."""
SWAPS: Final = 20
"""The number of swaps to try for such a card."""


class NoDeterminization(Exception):
    """No deck agrees with what the seat has seen. The history is incomplete, or there is a bug in this package."""


class Decks(Protocol):
    """A source of random decks."""

    allowed: Mapping[int, int]
    """By card, its possible places as a mask."""

    def draw(self, rng: Random) -> list[int]:
        """Return a random deck. Raise `NoDeterminization` if there is none."""


class DeckKnowledge:
    """The possible places of all cards, collected from the events of a deal."""

    def __init__(self, game: Game, seat: int, number: int, dealer: int) -> None:
        self.game, self.seat, self.number, self.dealer = game, seat, number, dealer
        self.received = [0] * game.seats
        """By seat, the places that it has received so far."""
        self.places: dict[int, int] = {}
        """By card seen so far, its possible places."""
        self.excluded: dict[int, int] = {}
        """By card, the places where it cannot have been."""
        self.doubted: dict[int, int] = {}
        """By card, the places that the choices of players speak against. Players err, so it may lie there."""
        self.moves: list[tuple[int, str]] = []

    # Collecting knowledge

    def receive(self, seat: int, places: Iterable[int]) -> int:
        """Record that a hand has received these places. Return them as a mask."""
        mask = 0
        for place in places:
            mask |= 1 << place
        self.received[seat] |= mask
        return mask

    def locate(self, cards: Iterable[str | None], places: int) -> None:
        """Record that those of these cards which are new were at some of these places."""
        for text in cards:
            if text is not None:
                self.places.setdefault(CARD_OF_TEXT[text], places)

    def reveal(self, seat: int, cards: Iterable[str]) -> None:
        """Record that these cards came from a hand."""
        self.locate(cards, self.received[seat])

    def exclude(self, cards: Iterable[int], places: int) -> None:
        """Record that these cards were at none of these places."""
        for card in cards:
            self.excluded[card] = self.excluded.get(card, 0) | places

    def doubt(self, cards: int, places: int) -> None:
        """Record that these cards were hardly at these places."""
        for card in cards_of(cards):
            self.doubted[card] = self.doubted.get(card, 0) | places

    def move(self, event: Mapping[str, Any]) -> None:
        """Record a move, and the cards that it reveals."""
        seat, text = event["seat"], event["move"]
        self.moves.append((seat, text))
        self.reveal(seat, [word for word in text.split(" ")[1:] if word in CARD_OF_TEXT])

    # Drawing decks

    def sampler(self, doubting: bool) -> DeckSampler:
        whole = (1 << len(self.game.pack)) - 1
        hidden = whole & ~self.received[self.seat]
        allowed = {
            card: self.places.get(card, hidden) & ~self.excluded.get(card, 0) for card in self.game.pack
        }
        doubted = {card: places for card, places in self.doubted.items() if card not in self.places}
        return DeckSampler(allowed, self.excluded, doubted if doubting else {})


class DeckSampler:
    """A random sampler of the decks in which every card is at one of its possible places.

    If any two sets of places are nested or disjoint, all decks are equally likely. Excluded places make sets overlap.
    Random swaps then mix the first filling to approximate the uniform distribution. Most cards that are at doubted
    places are then swapped with others.
    """

    def __init__(
        self,
        allowed: Mapping[int, int],
        overlapping: Iterable[int] = (),
        doubted: Mapping[int, int] = MappingProxyType({}),
    ) -> None:
        self.allowed = allowed
        """By card, its possible places as a mask."""
        self._doubted = doubted
        self._unseen = [card for card, places in allowed.items() if places & places - 1]
        self._begun = [-1] * len(allowed)
        """A deck with those cards in it that have one possible place."""
        for card, places in allowed.items():
            if places and not places & places - 1:
                self._begun[places.bit_length() - 1] = card
        self._free = mask_of([place for place, card in enumerate(self._begun) if card < 0])
        rest = max(allowed.values(), key=int.bit_count)
        self._bulk = [card for card, places in allowed.items() if places == rest and card not in self._begun]
        bulk = set(self._bulk)
        placed = bulk.union(self._begun)
        self._order = sorted((card for card in allowed if card not in placed), key=self._width)
        mixed = set(overlapping) - bulk
        self._mixed = [card for card in allowed if card in mixed or card in bulk] if mixed else []
        self._size = len(allowed)

    def draw(self, rng: Random) -> list[int]:
        """Return a random deck. Raise `NoDeterminization` if there is none."""
        for _ in range(TRIES):
            deck = self._filled(rng)
            if deck is not None:
                break
        else:
            deck = self._matched(rng)
        if self._mixed:
            self._mix(deck, rng)
        if self._doubted:
            self._heed(deck, rng)
        return deck

    def _width(self, card: int) -> int:
        return self.allowed[card].bit_count()

    def _filled(self, rng: Random) -> list[int] | None:
        """Place the cards with the fewest places first. Return `None` if a card has no free place."""
        deck, free = self._begun.copy(), self._free
        allowed, random = self.allowed, rng.random
        for card in self._order:
            places = cards_of(allowed[card] & free)
            if not places:
                return None
            place = places[int(random() * len(places))] if len(places) > 1 else places[0]
            deck[place] = card
            free ^= 1 << place
        left = list(cards_of(free))
        rng.shuffle(left)
        for card, place in zip(self._bulk, left, strict=True):
            if not allowed[card] >> place & 1:
                return None
            deck[place] = card
        return deck

    def _matched(self, rng: Random) -> list[int]:
        """Return a filling found by bipartite matching with augmenting paths."""
        deck = [-1] * self._size
        cards = list(self.allowed)
        rng.shuffle(cards)

        def put(card: int, tried: set[int]) -> bool:
            places = list(cards_of(self.allowed[card]))
            rng.shuffle(places)
            for place in places:
                if place not in tried:
                    tried.add(place)
                    if deck[place] < 0 or put(deck[place], tried):
                        deck[place] = card
                        return True
            return False

        for card in cards:
            if not put(card, set()):
                raise NoDeterminization("no deck agrees with what this seat has seen")
        return deck

    def _mix(self, deck: list[int], rng: Random) -> None:
        where = {card: place for place, card in enumerate(deck)}
        cards, allowed, random = self._mixed, self.allowed, rng.random
        for _ in range(3 * len(cards)):
            one, other = cards[int(random() * len(cards))], cards[int(random() * len(cards))]
            here, there = where[one], where[other]
            if allowed[one] >> there & 1 and allowed[other] >> here & 1:
                deck[here], deck[there] = other, one
                where[one], where[other] = there, here

    def _heed(self, deck: list[int], rng: Random) -> None:
        """Swap most cards at doubted places with cards that neither place is impossible or doubted for."""
        where = {card: place for place, card in enumerate(deck)}
        cards, allowed, doubted, random = self._unseen, self.allowed, self._doubted, rng.random
        for card, places in doubted.items():
            here = where[card]
            if not places >> here & 1 or random() > HEED:
                continue
            mine = allowed[card] & ~places
            for _ in range(SWAPS):
                other = cards[int(random() * len(cards))]
                there = where[other]
                if mine >> there & 1 and (allowed[other] & ~doubted.get(other, 0)) >> here & 1:
                    deck[here], deck[there] = other, card
                    where[card], where[other] = there, here
                    break


DRAWS: Final = 60
"""The number of decks to draw before giving up."""

Read = Callable[[DeckKnowledge, Events], None]
"""A function that adds the events of a deal to the knowledge of the deck."""

Redeal = Callable[[Game, Any, int, Sequence[int], Sequence[int], Sequence[int]], Any]
"""A function that turns the state of a game after a replay, for a seat, with a deck, into the one with another deck in
which the seat sees the same. Its last argument is the places that each seat has received. It may return `None`."""


def current_deal(history: Events) -> Events:
    """Return the events of the deal in progress, beginning with its `deal` event."""
    for at in range(len(history) - 1, -1, -1):
        if history[at]["type"] == "deal":
            return history[at:]
    raise NoDeterminization("the history has no `deal` event")


class Determinizer:
    """A sampler of the states that give a seat this observation after this history."""

    def __init__(
        self,
        game: Game,
        read: Read,
        observation: Mapping[str, Any],
        history: Events,
        *,
        doubting: bool = False,
        redeal: Redeal | None = None,
    ) -> None:
        """`doubting` makes decks rare that the players' choices speak against. `redeal` spares most replays."""
        begun, *events = current_deal(history)
        self.game, self._redeal = game, redeal
        self.seat: int = observation["seat"]
        knowledge = DeckKnowledge(game, self.seat, begun["deal"], begun["dealer"])
        read(knowledge, events)
        self._number, self._dealer = knowledge.number, knowledge.dealer
        self._texts = knowledge.moves
        self._moves: list[tuple[int, Move]] = []
        self.decks: Decks = knowledge.sampler(doubting)
        self._received = knowledge.received
        self._replayed: tuple[Any, Sequence[int]] | None = None
        self._seen = observation

    def draw(self, rng: Random) -> Any:
        """Return a random state that agrees with the observation. Raise `NoDeterminization`."""
        for _ in range(DRAWS):
            deck = self.decks.draw(rng)
            if self._redeal is not None and self._replayed is not None:
                state, before = self._replayed
                redealt = self._redeal(self.game, state, self.seat, before, deck, self._received)
                if redealt is not None:
                    return redealt
            try:
                state = self.replay(deck)
            except IllegalMove:
                continue
            seen = self.game.observe(state, self.seat)
            if all(self._seen[name] == value for name, value in seen.items()):
                self._replayed = state, deck
                return state
        raise NoDeterminization(f"{DRAWS} decks in a row did not agree with what seat {self.seat} has seen")

    def replay(self, deck: Sequence[int]) -> Any:
        """Return the state after the moves so far, with this deck. Raise `IllegalMove`."""
        state = self.game.deal(self._number, self._dealer, deck)
        play = self.game.play
        if not self._moves and self._texts:
            moves: list[tuple[int, Move]] = []
            for seat, text in self._texts:
                moves.append((seat, self.game.parse(state, seat, text)))
                state = play(state, *moves[-1])
            self._moves = moves  # the internal form of a move depends on public facts only
            return state
        for seat, move in self._moves:
            state = play(state, seat, move)
        return state
