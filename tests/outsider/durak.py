"""Podkidnoy Durak, by the rules page."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from tests.outsider.table import OutsiderQuestion, OutsiderTable, Script, in_order, lost_by, rank, suit


class OutsiderDurak(OutsiderTable):
    def script(self) -> Script:
        for _ in range(6):
            for seat in self.clockwise(self.dealer):
                self.hands[seat].append(self.deck.pop(0))
        if self.deck:
            self.upturned = self.deck.pop(0)
            self.talon = [*self.deck, self.upturned]
            self.trump = suit(self.upturned)
        else:
            last = self.hands[self.dealer][-1]
            self.open[self.dealer].add(last)
            self.talon, self.trump = [], suit(last)
        self.six = self.options["lowest_rank"] + self.trump
        self.six_was_seen = self.six == self.upturned or any(self.six in seen for seen in self.open)
        self.owner_of_six = next((s for s in range(self.seats) if self.six in self.hands[s]), None)
        """The seat that was dealt or drew the 6 of trumps and has kept it since."""
        self.discard = 0
        attacker = self.first_attacker()
        defender = self.clockwise(attacker)[0]
        while True:
            taken = yield from self.bout(attacker, defender)
            attacker, defender = self.roles["attacker"], self.roles["defender"]
            drew = self.draw(attacker, defender)
            if not self.talon:
                left = {self.side(seat) for seat in self.holding()}
                if len(left) <= 1:
                    return lost_by(self.seats, [s for s in range(self.seats) if self.side(s) in left])
            yield from self.after_the_last_draw(drew)
            attacker, defender = self.next_turns(attacker, defender, taken)

    def first_attacker(self) -> int:
        left = self.clockwise(self.dealer)[0]
        if self.number > 1 or self.options["first_attacker"] == "dealer_left":
            return left
        trumps = [(rank(card), seat) for seat in self.holding() for card in self.of_trumps(seat)]
        if not trumps:
            return left
        seat = min(trumps)[1]
        lowest = min(self.of_trumps(seat), key=rank)
        self.open[seat].add(lowest)
        self.six_was_seen |= lowest == self.six
        return seat

    def of_trumps(self, seat: int) -> list[str]:
        return [card for card in self.hands[seat] if suit(card) == self.trump]

    # The teams

    def side(self, seat: int) -> int:
        return seat % 2 if self.options["teams"] else seat

    # A bout

    def bout(self, attacker: int, defender: int) -> Script:
        """Play a bout. Return whether the defender took."""
        self.between_bouts = False
        self.settle(attacker, defender)
        self.attacks: list[str] = []
        self.beaten: dict[str, str] = {}
        self.taking = False
        text = yield OutsiderQuestion(attacker, lambda: self.plays("attack", attacker))
        self.attack_with(attacker, text)
        while True:
            while len(self.beaten) < len(self.attacks):
                defender, entitled = self.roles["defender"], self.roles["entitled"]
                text = yield OutsiderQuestion(defender, lambda seat=defender: self.defences(seat))
                if text.startswith("transfer"):
                    following = self.who_gets_a_transfer()
                    self.attack_with(defender, text)
                    self.settle(defender, following)
                    continue
                if text == "take":
                    self.taking = True
                    yield from self.give_more(entitled)
                    self.give(defender, [*self.attacks, *self.beaten.values()], seen=True)
                    return True
                _, card, by = text.split()
                self.beaten[card] = self.lay(defender, by)
            if not (yield from self.somebody_throws(self.roles["entitled"])):
                self.discard += 2 * len(self.attacks)
                return False

    def settle(self, attacker: int, defender: int) -> None:
        """Settle who attacks whom with how many cards. An attacker without cards leaves the lead to the next."""
        most = self.options["first_bout"] if not self.discard else 6
        self.limit = min(most, len(self.hands[defender]))
        entitled = self.entitled(attacker, defender)
        first = attacker if attacker in entitled or not entitled else entitled[0]
        self.roles = {"attacker": first, "defender": defender, "entitled": entitled}

    def entitled(self, attacker: int, defender: int) -> list[int]:
        """Return the entitled attackers in order of priority."""
        order = [attacker, *self.clockwise(attacker)[:-1]]
        if self.options["teams"]:
            return [seat for seat in order if self.hands[seat] and self.side(seat) != self.side(defender)]
        others = [seat for seat in self.clockwise(defender)[:-1] if self.hands[seat]]
        if self.options["attackers"] == "neighbours" and others:
            others = [others[0], others[-1]]
        return [seat for seat in order if seat in others]

    def who_gets_a_transfer(self) -> int | None:
        """Return the next to defend after the defender, who is another player with cards."""
        attacker, defender = self.roles["attacker"], self.roles["defender"]
        if self.options["teams"]:
            team = [attacker + step for step in (2, 4, 6)][: self.seats // 2]
            return next((seat % self.seats for seat in team if self.hands[seat % self.seats]), None)
        return next((seat for seat in self.clockwise(defender)[:-1] if self.hands[seat]), None)

    def transfers(self, seat: int) -> list[str]:
        following = self.who_gets_a_transfer()
        if not self.options["transfer"] or self.beaten or following is None:
            return []
        most = self.options["first_bout"] if not self.discard else 6
        room = min(most, len(self.hands[following])) - len(self.attacks)
        fitting = [card for card in in_order(self.hands[seat]) if rank(card) == rank(self.attacks[0])]
        sizes = range(1, (room if self.options["batch_attacks"] else min(1, room)) + 1)
        return [" ".join(["transfer", *batch]) for size in sizes for batch in combinations(fitting, size)]

    def may_be_asked(self, seat: int) -> bool:
        return bool(self.hands[seat]) and len(self.attacks) < self.limit

    def somebody_throws(self, entitled: list[int]) -> Script:
        for seat in entitled:
            if self.may_be_asked(seat):
                text = yield OutsiderQuestion(seat, lambda seat=seat: ["pass", *self.plays("throw", seat)])
                if text != "pass":
                    self.attack_with(seat, text)
                    return True
        return False

    def give_more(self, entitled: list[int]) -> Script:
        for seat in entitled:
            while self.may_be_asked(seat):
                text = yield OutsiderQuestion(seat, lambda seat=seat: ["pass", *self.plays("throw", seat)])
                if text == "pass":
                    break
                self.attack_with(seat, text)

    def plays(self, verb: str, seat: int) -> list[str]:
        cards = in_order(self.hands[seat])
        room = self.limit - len(self.attacks)
        played = {rank(card) for card in [*self.attacks, *self.beaten.values()]}
        if verb == "throw":
            cards = [card for card in cards if rank(card) in played]
        most = room if self.options["batch_attacks"] else min(1, room)
        batches = [batch for size in range(1, most + 1) for batch in combinations(cards, size)]
        if verb == "attack":
            batches = [batch for batch in batches if len({rank(card) for card in batch}) == 1]
        return [" ".join([verb, *batch]) for batch in batches]

    def attack_with(self, seat: int, text: str) -> None:
        self.attacks += [self.lay(seat, card) for card in text.split()[1:]]

    def defences(self, seat: int) -> list[str]:
        unbeaten = [card for card in self.attacks if card not in self.beaten]
        return [
            "take",
            *[f"beat {card} {by}" for card in unbeaten for by in self.hands[seat] if self.beats(by, card)],
            *self.transfers(seat),
        ]

    def beats(self, by: str, card: str) -> bool:
        if suit(by) == suit(card):
            return rank(by) > rank(card)
        return suit(by) == self.trump

    def lay(self, seat: int, card: str) -> str:
        if card == self.six:
            self.six_was_seen, self.owner_of_six = True, None
        return self.take_from(seat, card)

    # Between the bouts

    def draw(self, attacker: int, defender: int) -> list[int]:
        """Draw. Return the seats that are asked about the 6 of trumps, if this was the last drawing."""
        order = [attacker, *[seat for seat in self.clockwise(attacker)[:-1] if seat != defender], defender]
        had_cards = bool(self.talon)
        drew_blind: list[int] = []
        self.drew_six = self.drew_trump = None
        for seat in order:
            new = self.talon[: max(0, 6 - len(self.hands[seat]))]
            if new:
                del self.talon[: len(new)]
                self.drawn.append((seat, new))
                self.give(seat, new)
            for card in new:
                if card == self.upturned:
                    self.open[seat].add(card)
                    self.drew_trump = seat
                elif card == self.six:
                    self.owner_of_six = self.drew_six = seat
            if any(card != self.upturned for card in new):
                drew_blind.append(seat)
        if had_cards and not self.talon and not self.six_was_seen:
            return [seat for seat in drew_blind if seat != self.drew_trump]
        return []

    def after_the_last_draw(self, asked: list[int]) -> Script:
        for seat in asked:
            self.between_bouts = True
            answers = ["pass", "exchange"] if seat == self.drew_six else ["pass"]
            text = yield OutsiderQuestion(seat, lambda answers=answers: answers)
            if text == "exchange":
                other = self.drew_trump
                self.give(seat, [self.take_from(other, self.upturned)], seen=True)
                self.give(other, [self.take_from(seat, self.six)], seen=True)
                self.six_was_seen = True
                return

    def unasked(self, seat: int) -> list[str]:
        can = self.question and self.talon and self.owner_of_six == seat
        return ["exchange"] if can else []

    def do_unasked(self, seat: int) -> None:
        self.talon.pop()
        self.give(seat, [self.upturned], seen=True)
        self.upturned = self.take_from(seat, self.six)
        self.talon.append(self.upturned)
        self.six_was_seen, self.owner_of_six = True, None

    def next_turns(self, attacker: int, defender: int, taken: bool) -> tuple[int, int]:
        def after(seat: int) -> int:
            """Return the next in turn: within the team, or of all single players."""
            return next(
                other
                for other in self.clockwise(seat)
                if self.hands[other] and (not self.options["teams"] or self.side(other) == self.side(seat))
            )

        if self.options["teams"]:
            if taken:
                return after(attacker), after(defender)
            return (defender if self.hands[defender] else after(defender)), after(attacker)
        first = defender if self.hands[defender] and not taken else after(defender)
        return first, after(first)

    def facts(self) -> dict[str, Any]:
        return {
            **super().facts(),
            "trump": self.trump,
            "trump_card": self.upturned if self.talon else None,
            "talon": len(self.talon),
            "out": [seat for seat in range(self.seats) if not self.hands[seat] and not self.talon],
            "teams": [[0, 2, 4][: self.seats // 2], [1, 3, 5][: self.seats // 2]]
            if self.options["teams"]
            else None,
            "discard": self.discard,
            "moves_made": self.moves,
            **self.bout_facts(),
        }

    def bout_facts(self) -> dict[str, Any]:
        if self.between_bouts:
            return {}
        return {
            **self.roles,
            "pairs": [[card, self.beaten.get(card)] for card in self.attacks],
            "taking": self.taking,
            "room": self.limit - len(self.attacks),
        }
