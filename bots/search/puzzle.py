"""What a seat knows of the deck: for each card the places in the deck where it may have been.

A **place** is an index of the deck; a set of places is a mask. Whose hand a place went to, and when, is public:
the deal and the draws have fixed orders. Which card was there is known of the own places; a card that another seat
has shown or played was in one of the places that this seat had received by then, unless it came to that hand in
sight of all. All other cards are anywhere else. So a hidden world is a deck that puts every card in one of its places,
and nothing but decks is ever guessed: what follows from one is left to the rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import Any

from engine.cards import CARD_OF_TEXT, cards_of
from engine.game import Game

Events = Sequence[Mapping[str, Any]]

TRIES = 8
"""How often a random filling is begun anew before it is put right by exchanges."""


class NoWorld(Exception):
    """No deck fits what was seen. Either the history is not whole or something is wrong here."""


class Puzzle:
    """The places of all cards, as the events of a deal tell them one by one."""

    def __init__(self, game: Game, seat: int, number: int, dealer: int) -> None:
        self.game, self.seat, self.number, self.dealer = game, seat, number, dealer
        self.received = [0] * game.seats
        """By seat, the places that have come to its hand so far."""
        self.places: dict[int, int] = {}
        """By card that was seen, the places where it may have been."""
        self.excluded: dict[int, int] = {}
        """By card, places where it was not."""
        self.moves: list[tuple[int, str]] = []

    # What the events say

    def receive(self, seat: int, places: Iterable[int]) -> int:
        """These places have come to a hand; returned as a mask."""
        mask = 0
        for place in places:
            mask |= 1 << place
        self.received[seat] |= mask
        return mask

    def locate(self, cards: Iterable[str | None], places: int) -> None:
        """These cards were in some of these places, as far as they are seen for the first time."""
        for text in cards:
            if text is not None:
                self.places.setdefault(CARD_OF_TEXT[text], places)

    def reveal(self, seat: int, cards: Iterable[str]) -> None:
        """These cards came out of a hand."""
        self.locate(cards, self.received[seat])

    def exclude(self, cards: Iterable[int], places: int) -> None:
        """These cards were in none of these places."""
        for card in cards:
            self.excluded[card] = self.excluded.get(card, 0) | places

    def move(self, event: Mapping[str, Any]) -> None:
        """A move was made; the cards that it names and that come out of the hand are seen."""
        seat, text = event["seat"], event["move"]
        self.moves.append((seat, text))
        self.reveal(seat, [word for word in text.split(" ")[1:] if word in CARD_OF_TEXT])

    # What follows

    def solved(self) -> DeckCounter:
        """The decks that fit."""
        whole = (1 << len(self.game.pack)) - 1
        hidden = whole & ~self.received[self.seat]
        allowed = {
            card: self.places.get(card, hidden) & ~self.excluded.get(card, 0) for card in self.game.pack
        }
        return DeckCounter(allowed, self.excluded)


class DeckCounter:
    """All decks in which every card is in one of its places, drawn from at random.

    With the sets of places inside one another or apart, each deck is equally likely. Where cards are excluded from
    places, sets overlap: then a first filling is mixed by exchanges, which come near it.
    """

    def __init__(self, allowed: Mapping[int, int], overlapping: Iterable[int] = ()) -> None:
        self.allowed = allowed
        """By card, the places where it may be, as a mask."""
        rest = max(allowed.values(), key=int.bit_count)
        self._bulk = [card for card, places in allowed.items() if places == rest]
        bulk = set(self._bulk)
        self._order = sorted((card for card in allowed if card not in bulk), key=self._width)
        mixed = set(overlapping) - bulk
        self._mixed = [card for card in allowed if card in mixed or card in bulk] if mixed else []
        self._size = len(allowed)

    def draw(self, rng: Random) -> list[int]:
        """A deck. Raises `NoWorld` if there is none."""
        for _ in range(TRIES):
            deck = self._filled(rng)
            if deck is not None:
                break
        else:
            deck = self._matched(rng)
        if self._mixed:
            self._mix(deck, rng)
        return deck

    def _width(self, card: int) -> int:
        return self.allowed[card].bit_count()

    def _filled(self, rng: Random) -> list[int] | None:
        """The cards with the fewest places first, each in one that is free; `None` when one finds none."""
        deck = [-1] * self._size
        free = (1 << self._size) - 1
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
        """A filling in which cards that stand in the way are moved on (augmenting paths)."""
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
                raise NoWorld("no deck fits what this seat has seen")
        return deck

    def _mix(self, deck: list[int], rng: Random) -> None:
        where = {card: place for place, card in enumerate(deck)}
        cards, allowed = self._mixed, self.allowed
        for _ in range(3 * len(cards)):
            one, other = rng.choice(cards), rng.choice(cards)
            here, there = where[one], where[other]
            if allowed[one] >> there & 1 and allowed[other] >> here & 1:
                deck[here], deck[there] = other, one
                where[one], where[other] = there, here
