"""King, by the rules page."""

from __future__ import annotations

from typing import Any

from tests.outsider.table import OutsiderQuestion, OutsiderTable, Script, rank, suit

KHVALENKI = (8, 9, 10, 11)
DECLARED = ("C", "D", "H", "S", "last", "miser")


class OutsiderKing(OutsiderTable):
    def script(self) -> Script:
        left = self.clockwise(self.dealer)[0]
        self.played: list[str] = []
        self.trump, self.miser = None, False
        self.tricks: list[tuple[int, list[str]]] = []
        """The tricks taken: the taker, and the cards in order of play."""
        if self.number in KHVALENKI:
            self.packets(3)
            text = yield OutsiderQuestion(left, lambda: [f"declare {what}" for what in DECLARED])
            self.packets(2, 2, 1)
            what = text.split()[1]
            if what == "last":
                self.open[left].add(self.hands[left][-1])
                self.trump = suit(self.hands[left][-1])
            elif what == "miser":
                self.miser = True
            else:
                self.trump = what
        else:
            self.packets(2, 2, 2, 2)
        leader = left
        while self.hands[leader]:
            leader = yield from self.trick(leader)
        return [self.points(seat) for seat in range(4)]

    def packets(self, *sizes: int) -> None:
        for size in sizes:
            for seat in self.clockwise(self.dealer):
                self.give(seat, self.deck[:size])
                del self.deck[:size]

    def trick(self, leader: int) -> Script:
        """Play a trick. Return its taker."""
        order = [leader, *self.clockwise(leader)[:-1]]
        for seat in order:
            text = yield OutsiderQuestion(
                seat, lambda seat=seat: [f"play {card}" for card in self.allowed(seat)]
            )
            self.played.append(self.take_from(seat, text.split()[1]))
        taker = order[self.played.index(max(self.played, key=self.strength))]
        self.tricks.append((taker, self.played))
        self.played = []
        return taker

    def allowed(self, seat: int) -> list[str]:
        hand = self.hands[seat]
        if self.played:
            following = [card for card in hand if suit(card) == suit(self.played[0])]
            if not following and self.number in (6, 7, 12) and "KH" in hand:
                return ["KH"]
            return following or hand
        if self.number in (2, 7, 12):
            return [card for card in hand if suit(card) != "H"] or hand
        return hand

    def strength(self, card: str) -> tuple[bool, bool, int]:
        height = -rank(card) if self.miser else rank(card)
        return suit(card) == self.trump, suit(card) == suit(self.played[0]), height

    def points(self, seat: int) -> int:
        took = [cards for taker, cards in self.tricks if taker == seat]
        cards = [card for trick in took for card in trick]
        if self.number in KHVALENKI:
            return 3 * len(took)
        penalties = {
            1: 2 * len(took),
            2: 2 * sum(suit(card) == "H" for card in cards),
            3: 4 * sum(card[0] == "J" for card in cards),
            4: 4 * sum(card[0] == "Q" for card in cards),
            5: 8 * sum(taker == seat for taker, _ in self.tricks[6:]),
            6: 16 * ("KH" in cards),
        }
        every = sum(penalties.values())
        return every if self.number == 12 else -every if self.number == 7 else -penalties[self.number]

    def next_dealer(self) -> int:
        return self.clockwise(self.dealer)[0]

    def facts(self) -> dict[str, Any]:
        leader = (self.question.seat - len(self.played)) % 4 if self.question else 0
        return {
            **super().facts(),
            "trump": self.trump,
            "miser": self.miser,
            "trick": [[(leader + nth) % 4, card] for nth, card in enumerate(self.played)],
            "tricks_taken": [[taker for taker, _ in self.tricks].count(seat) for seat in range(4)],
            "taken": [
                [card for taker, cards in self.tricks if taker == seat for card in cards] for seat in range(4)
            ],
            "deal_scores": [self.points(seat) for seat in range(4)],
        }
