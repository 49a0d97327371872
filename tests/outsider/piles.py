"""Kryt'-navalivat' and Svoi Kozyri, by the rules pages."""

from __future__ import annotations

from typing import Any

from tests.outsider.table import RANKS, OutsiderQuestion, OutsiderTable, Script, lost_by, rank, suit


class OutsiderPile(OutsiderTable):
    """The common rules. The last card of `pile` is its top."""

    stock: list[str]

    def deal(self) -> None:
        raise NotImplementedError

    def beats(self, seat: int, by: str, card: str) -> bool:
        raise NotImplementedError

    def pickup(self, seat: int) -> int:
        """Return the number of cards that this seat picks up, if the pile has that many."""
        raise NotImplementedError

    def script(self) -> Script:
        self.stock = []
        self.pile: list[str] = []
        self.free_lead = False
        self.deal()
        seat = self.clockwise(self.dealer)[0]
        while True:
            text = yield OutsiderQuestion(seat, lambda seat=seat: self.choices(seat))
            verb, *cards = text.split()
            self.free_lead = False
            if verb == "pickup":
                self.give(seat, self.would_pick_up(seat), seen=True)
                del self.pile[-self.pickup(seat) :]
            self.pile += [self.take_from(seat, card) for card in cards]
            if verb != "pickup":
                self.draw(seat)
            holding = self.holding()
            if not self.stock and len(holding) == 1:
                (last,) = holding
                led = verb == "lead" or len(cards) == 2
                hand = self.hands[last]
                draw = led and len(hand) == 1 and self.beats(last, hand[0], self.pile[-1])
                return lost_by(self.seats, [] if draw else [last])
            self.free_lead = verb == "beat" and len(cards) == 1
            seat = next(other for other in self.clockwise(seat) if self.hands[other])

    def choices(self, seat: int) -> list[str]:
        hand = self.hands[seat]
        if self.free_lead or not self.pile:
            return [f"lead {card}" for card in hand]
        beating = [card for card in hand if self.beats(seat, card, self.pile[-1])]
        if len(hand) == 1:
            return ["pickup", *[f"beat {card}" for card in beating]]
        return ["pickup", *[f"beat {card} {then}" for card in beating for then in hand if then != card]]

    def would_pick_up(self, seat: int) -> list[str]:
        return self.pile[-self.pickup(seat) :]

    def draw(self, seat: int) -> None:
        """Draw nothing, because there is no stock."""

    def facts(self) -> dict[str, Any]:
        return {
            **super().facts(),
            "pile": len(self.pile),
            "top": self.pile[-1] if self.pile else None,
            "out": [seat for seat in range(self.seats) if not self.hands[seat] and not self.stock],
            "moves_made": self.moves,
        }

    def own_facts(self) -> dict[str, Any]:
        if not self.pile or self.free_lead:
            return {"pickup": None, "under": None}
        shown = self.would_pick_up(self.question.seat)[::-1]
        under = self.pile[-len(shown) - 1] if len(shown) < len(self.pile) else None
        return {"pickup": shown, "under": under}


class OutsiderKryt(OutsiderPile):
    def deal(self) -> None:
        for _ in range(3):
            for seat in self.clockwise(self.dealer):
                self.give(seat, [self.deck.pop(0)])
        self.trump = "D"
        if self.options["trumps"] == "turned":
            self.upturned = self.deck.pop(0)
            self.trump = suit(self.upturned)
        self.stock = [*self.deck, *([self.upturned] if self.upturned else [])]

    def beats(self, seat: int, by: str, card: str) -> bool:
        if suit(by) == suit(card):
            return rank(by) > rank(card)
        return suit(by) == self.trump and not (self.options["trumps"] == "fixed" and suit(card) == "S")

    def pickup(self, seat: int) -> int:
        top = self.pile[-1]
        if suit(top) != self.trump:
            return 1
        return len(self.pile) if top[0] == "A" else 3

    def draw(self, seat: int) -> None:
        new = self.stock[: max(0, 3 - len(self.hands[seat]))]
        del self.stock[: len(new)]
        if new:
            self.drawn.append((seat, new))
            self.give(seat, new)
            self.open[seat].update(card for card in new if card == self.upturned)

    def unasked(self, seat: int) -> list[str]:
        can = self.question and self.stock and self.upturned and "6" + self.trump in self.hands[seat]
        return ["exchange"] if can else []

    def do_unasked(self, seat: int) -> None:
        self.stock.pop()
        self.give(seat, [self.upturned], seen=True)
        self.upturned = self.take_from(seat, "6" + self.trump)
        self.stock.append(self.upturned)

    def facts(self) -> dict[str, Any]:
        return {
            **super().facts(),
            "trump": self.trump,
            "trump_card": self.upturned if self.stock else None,
            "stock": len(self.stock),
        }


class OutsiderSvoiKozyri(OutsiderPile):
    def deal(self) -> None:
        dealt: list[list[str]] = [[] for _ in range(self.seats)]
        order = self.clockwise(self.dealer)
        for nth, card in enumerate(self.deck):
            dealt[order[nth % self.seats]].append(card)
        if self.options["layout"] == "besikovich":
            self.lay_out(dealt[self.dealer])
            return
        self.hands = dealt
        for owner, own in enumerate(self.options["trumps"]):
            lowest = self.options["lowest_rank"] + own
            for seat in range(self.seats):
                if seat != owner and lowest in self.hands[seat]:
                    self.give(owner, [self.take_from(seat, lowest)], seen=True)

    def lay_out(self, dealt: list[str]) -> None:
        """Deal Besikovich's game, in which the dealer's cards in two suits determine both hands."""
        opponent = 1 - self.dealer
        own, other = self.options["trumps"][self.dealer], self.options["trumps"][opponent]
        first, second = [letter for letter in "CDHS" if letter not in (own, other)]
        ranks = RANKS[RANKS.index(self.options["lowest_rank"]) :]
        a = [letter for letter in ranks if letter + own in dealt]
        x = [letter for letter in ranks if letter + first in dealt]
        for card in self.deck:
            letter, of = card
            if of in (own, first):
                dealers = letter in (a if of == own else x)
            else:
                dealers = letter not in (a if of == other else x)
                assert of in (other, second)
            self.give(self.dealer if dealers else opponent, [card], seen=True)

    def beats(self, seat: int, by: str, card: str) -> bool:
        if suit(by) == suit(card):
            return rank(by) > rank(card)
        return suit(by) == self.options["trumps"][seat]

    def pickup(self, seat: int) -> int:
        top = self.pile[-1]
        if self.options["pickup"] == "whole_pile":
            return len(self.pile)
        if suit(top) != self.options["trumps"][seat]:
            return 3
        return len(self.pile) if top[0] == "A" else 5
