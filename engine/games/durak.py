"""Podkidnoy Durak: the fool, with throwing in.

Source: the Podkidnoy Durak page of a well-known collection of card game rules. (*) marks a point that the
source leaves open or states in two ways; this rule book settles it.

1. The table
   Two to six single players, four players in two teams of two, or six in two teams of three: the even seats
   against the odd (`teams`). Four players at one table usually form teams. 36 cards, 6 low, ace high; with
   `lowest_rank` the pack is one of 52 from the 2 on, or one of 24 from the 9 on for two or three players (*). The
   last player to hold cards loses. There is no winner.

2. The deal
   Each player gets six cards, one at a time from the dealer's left. The next card is turned up and names the
   trump suit. It lies face up under the talon and is the talon's last card. Six players leave no talon: the
   dealer's last card is shown, names the trump suit and stays in the dealer's hand.
   In the first deal of a match, the holder of the lowest trump in any hand shows it and attacks first, with
   any card. With no trump in any hand, the player on the dealer's left attacks first (*), as in all later
   deals and with `first_attacker: dealer_left`.

3. The bout
   The principal attacker opens with a card. The defender beats it or takes. A higher card of the suit beats
   a card; a trump also beats any card that is not a trump.
   When all attack cards are beaten, the attackers are asked for another card, of a rank that is already in
   this bout: first the principal attacker, then the others clockwise. The first to throw ends the round of
   asking, and the defender must answer. After an answer that beats, the asking starts again at the principal
   attacker. When all have passed, the attack is beaten off. No attacker needs another's permission (*).
   The entitled attackers are all players but the defender, or with `attackers: neighbours` the nearest
   player with cards on each side of the defender, or the opposing team. This is settled when the bout opens.
   A player without cards is not asked.
   A bout has at most six attack cards, the opening card included, and no more than the defender held when it
   opened. With `first_bout: 5` it has at most five until an attack of this deal has been beaten off (*). At
   this limit nobody is asked, and an attack beaten at the limit is beaten off at once.
   The defender may take whenever asked to beat. Each entitled player in the same order is then asked until
   that player passes, and may throw in more by the same rank rule and limit. Then the defender takes all
   cards of the bout.
   With `batch_attacks` an attacker may play several cards at once if each could be played singly. An opening
   batch is all of one rank. The defender beats the cards one by one, in any order.

   The transfer (`transfer`, *): a defender who has beaten nothing in this bout may lay a card of the attack's
   rank beside it. The attack, this card included, passes to the player who would defend next: clockwise, or of
   the opposing team in the order of turns. With two players it comes back. This player must hold at least as
   many cards as there are attack cards now, and may beat, take or transfer. This player's hand now sets the
   limit of the bout. The player who transferred becomes the principal attacker, and the attackers are those
   entitled against the new defender. If the last card is transferred, the next attacker clockwise comes first
   instead, and may pass. With `batch_attacks` several cards may be transferred at once. A trump transfers like
   any card, and showing one is not enough.

4. Drawing and the exchange
   The cards of an attack beaten off are discarded, face down. All players draw to six: first the principal
   attacker, then the other attackers clockwise, the defender last. The upturned trump is drawn last.
   While there is a talon, the player who was dealt or drew the 6 of trumps and has kept it in hand since may
   exchange it for the upturned trump, on turn or off. The upturned card alone is still a talon. The 6 then
   lies face up under the talon and is drawn last. A 6 picked up from a bout gives no such right. In another
   pack its lowest trump takes the place of this 6 (*).
   After a drawing that empties the talon, if the 6 has never been on the table or shown, the players who drew
   face-down cards in it are asked in drawing order, except the one who drew the upturned trump. If one of
   them drew the 6 in that very drawing (*), this player may exchange it with the holder of the trump. All are asked
   because asking only the holder of the 6 would show who that is (*). After an exchange nobody else is asked.

5. The next bout
   After an attack beaten off, the defender attacks. After taking, the next player in turn after the defender
   attacks. The next in turn after the attacker defends. Players without cards are passed over.
   Single players take turns clockwise. The turns of teams alternate, and inside a team they pass clockwise
   (*). So a defender who beats off an attack and is out of cards leaves the next attack to the next member
   of the same team.

6. The end of the deal
   The deal ends when the talon is empty and, after a bout and its drawing, at most one player (team) holds
   cards and so has lost. If nobody holds cards, the deal is a draw (*), and so is a deal without a result
   after `turn_limit` moves (*). The loser deals next: of a losing team its first member clockwise after the
   last dealer (*). After a draw the same player deals again.

7. The moves as text
   `attack C` and `throw C` (a batch is `attack C C…`, its cards by rank, then by suit in the order C D H S),
   `beat A B` with A the attack card and B from the hand, `transfer C`, `take`, `pass`, `exchange`.

8. What is seen
   Everybody sees the table, the numbers of cards and the upturned trump, and knows every card that went to a
   hand in sight of all until it is played.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import accumulate, combinations
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Final, Literal, NamedTuple, Self, TypedDict

from engine.cards import (
    CARD_OF_TEXT,
    CARD_TEXT,
    HIGHER,
    RANK_MASK,
    SUIT_MASK,
    SUITS,
    cards_of,
    pack_from,
    texts_of,
)
from engine.game import (
    NOBODY,
    BadTable,
    Event,
    Game,
    IllegalMove,
    Move,
    NotAMove,
    Options,
    Refusal,
    check_deck,
)
from engine.options import checked_options, checked_seats
from engine.quoting import quoted
from engine.seen import FIXED, AtMost, Card, Count, Items, LazyObservation, Moves, Seat, Suit

PACK: Final = pack_from("6")
"""The pack of 36."""
HAND: Final = 6
MOST_ATTACKS: Final = 6

# The questions. OVER and STOPPED (by the turn limit) ask nothing.
ATTACK: Final = 0
THROW: Final = 1
DEFEND: Final = 2
GIVE: Final = 3
CLAIM: Final = 4
OVER: Final = 5
STOPPED: Final = 6
QUESTIONS: Final = ("attack", "throw", "defend", "give", "exchange", None, None)

# A move is a card to play (0 … 51); PASS, TAKE or EXCHANGE; `64 * k + card` to beat the k-th of the unbeaten attack
# cards; TRANSFER + card; or a batch: BATCH times the mask of its cards. No two of them meet.
PASS: Final = 52
TAKE: Final = 53
EXCHANGE: Final = 54
TRANSFER: Final = 64 * MOST_ATTACKS
BATCH: Final = 1024
_WORDS: Final = {PASS: "pass", TAKE: "take", EXCHANGE: "exchange"}


class Deal(NamedTuple):
    """The facts that the deal itself settles. Only an exchange changes its talon."""

    dealer: int
    trump: int
    turned_up: int
    """Without a talon, the dealer's last card, which names the trump suit; else -1."""
    lowest_trump: int
    """The trump that the first attacker has shown; -1 without one."""
    shown: int
    """`turned_up` and `lowest_trump` as a mask: cards that were shown and stay in their hands."""
    talon: tuple[int, ...]
    """`talon[n]` is the mask of the first `n` cards to leave the talon. The last item is the whole talon."""
    trump_card: int
    """The upturned card, which leaves the talon last, wherever it is now; -1 without a talon."""
    lowest: int
    """The lowest trump of the pack, which may be exchanged: the 6 in a pack of 36."""

    def exchanged(self) -> Deal:
        """Return the deal with the lowest trump under the talon."""
        # A card that was drawn from the talon leaves it a second time, as its last card. It must not count twice.
        before = tuple([cards & ~(1 << self.lowest) for cards in self.talon[:-1]])
        return self._replace(talon=(*before, before[-1] | 1 << self.lowest), trump_card=self.lowest)


class FinalExchange(NamedTuple):
    """The exchange after the last draw."""

    claimant: int
    """The seat that may exchange, or `NOBODY`: hidden from all but that seat."""
    holder: int
    """The seat that drew the upturned trump."""


class Bout(NamedTuple):
    """The facts that are settled when a bout opens. A transfer replaces the first four."""

    attacker: int
    defender: int
    entitled: tuple[int, ...]
    """The attackers in the order of asking, the principal attacker first."""
    limit: int
    most: int
    """The highest limit: `first_bout` until an attack has been beaten off in this deal, then six."""
    drawn: int
    """The number of cards that have left the talon."""
    lain: int
    """All cards that lay face up before this bout: discarded, now in a hand, or the upturned trump."""
    claim: FinalExchange | None
    deal: Deal
    beaters: tuple[int, ...]
    """By attack card, the cards that beat it."""

    @property
    def left(self) -> int:
        """The number of cards left to draw, including the upturned one."""
        return len(self.deal.talon) - 1 - self.drawn


Table = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], int, int]
"""The cards on the table in this bout, as a plain tuple, because every card played creates one."""
ATTACKS: Final = 0
"""The attack cards in order of play."""
BEATS: Final = 1
"""`64 * attack + card` for each beaten attack card, in order of play."""
UNBEATEN: Final = 2
"""The unbeaten attack cards."""
CARDS: Final = 3
"""All cards as a mask."""
FITTING: Final = 4
"""All cards of their ranks as a mask."""
_BARE: Final[Table] = ((), (), (), 0, 0)


class DurakState(NamedTuple):
    """A deal between two moves. Sets of cards are masks."""

    to_move: int
    legal: tuple[Move, ...]
    question: int
    hands: tuple[int, ...]
    table: Table
    asking: tuple[int, ...]
    """The seats still to be asked in this round, beginning with the seat to move."""
    moves: int
    bout: Bout


class DurakObservation(TypedDict):
    """What one seat, or a spectator, sees of a deal of Durak."""

    seat: Annotated[Seat | None, "The seat that sees this; null for a spectator"]
    to_move: Annotated[Seat | None, "The seat to move; null when the deal is over"]
    question: Annotated[
        Literal["attack", "throw", "defend", "give", "exchange"] | None,
        "What is asked: attack (open the bout), throw (throw in or pass, the attack goes on), defend (beat or take, "
        "or transfer with that option), "
        "give (throw in or pass, the defender takes), exchange (the lowest trump after the last draw, or pass); "
        "null when the deal is over",
    ]
    hand: Annotated[list[Card], "Your cards, by rank, then by suit; empty for a spectator"]
    hand_sizes: Annotated[list[Count], "The number of cards in each hand, by seat"]
    trump: Annotated[Suit, "The trump suit: C, D, H or S"]
    trump_card: Annotated[
        Card | None, "The upturned card that lies under the talon; null when there is no talon"
    ]
    talon: Annotated[Count, "Cards left to draw, including the upturned one"]
    discard: Annotated[Count, "Cards in the discard heap"]
    attacker: Annotated[Seat | None, "The principal attacker of this bout; null when the deal is over"]
    defender: Annotated[Seat | None, "The defender of this bout; null when the deal is over"]
    entitled: Annotated[list[Seat], "The seats that may attack in this bout, in the order of asking"]
    pairs: Annotated[
        list[Annotated[list[str | None], Items((Card, Card | None))]],
        AtMost(6),
        "The bout so far: each attack card in order of play, with the card that beats it or null",
    ]
    taking: Annotated[bool, "Whether the defender has said `take`"]
    room: Annotated[Count, "The number of attack cards that may still be played in this bout"]
    known: Annotated[
        list[list[Card]],
        "By seat, the cards that everybody knows to lie in that hand: picked up or shown in sight of all",
    ]
    out: Annotated[list[Seat], "The seats that have no cards left"]
    teams: Annotated[
        list[list[Seat]] | None, FIXED, "The seats of each team; null when all play for themselves"
    ]
    moves_made: Annotated[Moves, "Moves made in this deal, exchanges among them"]
    turn_limit: Annotated[int, FIXED, "The deal is a draw after this number of moves"]


class Durak(Game):
    """Podkidnoy Durak at one table."""

    id = "durak"
    title: ClassVar[Mapping[str, str]] = MappingProxyType({"en": "Podkidnoy Durak", "ru": "Подкидной дурак"})
    rules_version = "1"
    observation = DurakObservation
    verbs = ("attack", "beat", "exchange", "pass", "take", "throw", "transfer")
    most_cards = MOST_ATTACKS
    free_move_texts = frozenset({"exchange"})
    safe_move_text = "Passes, takes, or attacks with the lowest card, non-trumps first."

    # 1. The table

    seat_counts = (2, 3, 4, 5, 6)
    later_options = frozenset({"transfer", "lowest_rank", "first_bout"})
    option_schemas: ClassVar[Mapping[str, Mapping[str, Any]]] = MappingProxyType(
        {
            "teams": {
                "type": "boolean",
                "title": "Teams",
                "description": "Four or six players in two teams, the even seats against the odd.",
                "default": False,
            },
            "attackers": {
                "type": "string",
                "enum": ["all", "neighbours"],
                "title": "Who may attack",
                "description": "Everybody but the defender, or only the nearest players with cards on either "
                "side. By default `neighbours` with five or six players, else `all`. Not with teams, where the "
                "opponents attack.",
            },
            "batch_attacks": {
                "type": "boolean",
                "title": "Several cards at once",
                "description": "Whether attackers may play several cards in one move.",
                "default": False,
            },
            "first_attacker": {
                "type": "string",
                "enum": ["lowest_trump", "dealer_left"],
                "title": "First attacker of the match",
                "description": "Who attacks first in the match's first deal: the holder of the lowest trump, or "
                "the player on the dealer's left, as in all later deals.",
                "default": "lowest_trump",
            },
            "transfer": {
                "type": "boolean",
                "title": "Transfer",
                "description": "Whether a defender who has beaten nothing may pass the attack on with a card of its "
                "rank (Perevodnoy Durak).",
                "default": False,
            },
            "lowest_rank": {
                "type": "string",
                "enum": ["2", "6", "9"],
                "title": "Lowest rank",
                "description": "`2` is a pack of 52 cards, `6` one of 36, and `9` one of 24, for two or three "
                "players.",
                "default": "6",
            },
            "first_bout": {
                "type": "integer",
                "minimum": 5,
                "maximum": 6,
                "title": "Attack cards at first",
                "description": "The most attack cards of a bout until the first attack of the deal has been beaten "
                "off. Then it is six.",
                "default": 6,
            },
            "turn_limit": {
                "type": "integer",
                "minimum": 50,
                "maximum": 100_000,
                "title": "Turn limit",
                "description": "A deal without a result after this many moves is a draw.",
                "default": 1000,
            },
        }
    )

    @classmethod
    def table(cls, seats: object, options: Options) -> Self:
        seats = checked_seats(cls.seat_counts, seats)
        values = checked_options(cls.option_schemas, options)
        if values["teams"] and seats not in (4, 6):
            raise BadTable("teams", True, f"false with {seats} players: teams are for four or six")
        if values["teams"] and "attackers" in values:
            raise BadTable(
                "attackers", values["attackers"], "no value with teams, where the opponents attack"
            )
        if values["lowest_rank"] == "9" and seats > 3:
            raise BadTable("lowest_rank", "9", f"2 or 6 with {seats} players: 24 cards are for two or three")
        if not values["teams"]:
            values.setdefault("attackers", "neighbours" if seats >= 5 else "all")
        return cls(seats, {name: values[name] for name in cls.option_schemas if name in values})

    def __init__(self, seats: int, options: Options) -> None:
        """Set up a table from valid arguments. Call `table`, which validates them."""
        self.seats = seats
        self.options = MappingProxyType(dict(options))
        self.sides = tuple(seat % 2 for seat in range(seats)) if options["teams"] else tuple(range(seats))
        self._teams: bool = options["teams"]
        self.members = [list(range(team, seats, 2)) for team in (0, 1)] if self._teams else None
        self._neighbours = options.get("attackers") == "neighbours"
        self._batches: bool = options["batch_attacks"]
        self._may_transfer: bool = options["transfer"]
        self.pack = pack_from(options["lowest_rank"])
        self.most_moves: int = options["turn_limit"]
        self._clockwise = [[(seat + step) % seats for step in range(seats)] for seat in range(seats)]
        self._drawing = [
            [(*[seat for seat in clockwise if seat != defender], defender) for defender in range(seats)]
            for clockwise in self._clockwise
        ]
        """By principal attacker and defender, the order of drawing."""
        step = 2 if self._teams else 1
        self._in_turn = [[(seat + k) % seats for k in range(step, seats + 1, step)] for seat in range(seats)]
        everybody = (1,) * seats
        self._with_all_in = {
            (attacker, defender, taken): self._following(everybody, attacker, defender, taken)
            for attacker in range(seats)
            for defender in range(seats)
            for taken in (False, True)
            if self.sides[attacker] != self.sides[defender]
        }
        """By attacker, defender and whether the defender took: the next bout while everybody holds cards."""

    # 2. The deal

    def deal(self, number: int, dealer: int, deck: Sequence[int]) -> DurakState:
        check_deck(deck, self.pack)
        dealt, left = HAND * self.seats, (dealer + 1) % self.seats
        singly = [1 << card for card in deck]
        # The sum of disjoint masks is their union.
        hands = tuple(
            [sum(singly[(seat - left) % self.seats : dealt : self.seats]) for seat in range(self.seats)]
        )
        turned_up = deck[dealt] if dealt < len(deck) else deck[-1]
        trump = turned_up & 3
        attacker, lowest = left, -1
        if number == 1 and self.options["first_attacker"] == "lowest_trump":
            attacker, lowest = _holder_of_lowest_trump(hands, SUIT_MASK[trump], left)
        defender = (attacker + 1) % self.seats
        entitled = self._entitled(hands, attacker, defender)
        shown = 0 if lowest < 0 else 1 << lowest
        six = self.pack[trump]
        talon = talon_of(deck, dealt)
        if dealt < len(deck):
            lain, deal = 1 << turned_up, Deal(dealer, trump, -1, lowest, shown, talon, turned_up, six)
        else:
            lain, deal = 0, Deal(dealer, trump, turned_up, lowest, shown | 1 << turned_up, talon, -1, six)
        most: int = self.options["first_bout"]
        bout = Bout(attacker, defender, entitled, most, most, 0, lain, None, deal, BEATERS[trump])
        return self._open(hands, 0, bout)

    # 3. The bout

    def play(self, state: DurakState, seat: int, move: Move) -> DurakState:
        to_move, legal, question, _, _, _, moves, _ = state
        if seat == to_move and move in legal:
            if question == DEFEND:
                after = self._defend(state, move)
            elif question == GIVE:
                after = self._give(state, move)
            elif question == CLAIM:
                after = self._answer_claim(state, move)
            elif move == PASS:
                after = self._pass(state)
            else:
                after = self._attack(state, move)
        elif move in self.free_moves(state, seat):
            after = self._exchange(state, seat)
        else:
            raise IllegalMove(f"seat {seat} has no such move now")
        if moves + 1 < self.most_moves or after.to_move == NOBODY:
            return after
        return after._replace(to_move=NOBODY, legal=(), question=STOPPED)

    def safe_move(self, state: DurakState) -> Move:
        if state.question != ATTACK:
            return TAKE if state.question == DEFEND else PASS
        singles = cards_of(state.hands[state.to_move])
        return min(singles, key=lambda card: (card & 3 == state.bout.deal.trump, card))

    def _entitled(self, hands: tuple[int, ...], attacker: int, defender: int) -> tuple[int, ...]:
        """Return the seats that may attack, in the order of asking."""
        sides, own = self.sides, self.sides[defender]
        entitled = tuple([seat for seat in self._clockwise[attacker] if hands[seat] and sides[seat] != own])
        if not self._neighbours or len(entitled) <= 2:
            return entitled
        beside = [seat for seat in self._clockwise[defender] if seat in entitled]
        # One who transferred the last card is no attacker. Then the one beyond the defender comes first.
        return (attacker, beside[0]) if entitled[0] == attacker else (beside[0], beside[-1])

    def _open(self, hands: tuple[int, ...], moves: int, bout: Bout) -> DurakState:
        """Ask the principal attacker to open the bout."""
        seat = bout.attacker
        legal = self._openings(hands[seat], bout.limit) if self._batches else cards_of(hands[seat])
        return _state((seat, legal, ATTACK, hands, _BARE, (), moves, bout))

    def _openings(self, hand: int, room: int) -> tuple[Move, ...]:
        """Return the moves that open a bout: any card, or a batch of one rank."""
        legal = cards_of(hand)
        if self._batches:
            for same_rank in RANK_MASK:
                legal += _batches(hand & same_rank, room)
        return legal

    def _throws(self, fitting: int, room: int) -> tuple[Move, ...]:
        """Return the answers of an attacker who holds these `fitting` cards: ranks that are in the bout."""
        return _PASS_OR[fitting] + _batches(fitting, room) if self._batches else _PASS_OR[fitting]

    def _attack(self, state: DurakState, move: Move) -> DurakState:
        """Play attack cards, to open or thrown in, and ask the defender."""
        seat, _, _, hands, table, _, moves, bout = state
        attacks, beats, _, cards, fitting = table
        new, played, same_rank = _CARD[move] if move < 64 else _batch(move // BATCH)
        hands = _without(hands, seat, played)
        table = (attacks + new, beats, new, cards | played, fitting | same_rank)
        defender, beaters = bout.defender, bout.beaters
        if move < 64:
            legal = _TAKE_OR[hands[defender] & beaters[move]]
        else:
            legal = _defences(hands[defender], new, beaters)
        if self._may_transfer and not beats:
            legal += self._transfers(hands, table, bout)
        return _state((defender, legal, DEFEND, hands, table, (), moves + 1, bout))

    def _transfers(self, hands: tuple[int, ...], table: Table, bout: Bout) -> tuple[Move, ...]:
        """Return the moves by which the defender passes on an attack of which nothing has been beaten."""
        attacks, _, _, _, fitting = table
        following = self._next_defender(hands, bout)
        own = hands[bout.defender] & fitting
        room = 0 if following == NOBODY else min(bout.most, hands[following].bit_count()) - len(attacks)
        if not own or room < 1:
            return ()
        single = tuple([TRANSFER + card for card in cards_of(own)])
        return single + _batches(own, room) if self._batches else single

    def _next_defender(self, hands: tuple[int, ...], bout: Bout) -> int:
        """Return the seat to which the defender would pass the attack, or `NOBODY`."""
        last = bout.attacker if self._teams else bout.defender
        for seat in self._in_turn[last]:
            if hands[seat] and seat != bout.defender:
                return seat
        return NOBODY

    def _transfer(self, state: DurakState, move: Move) -> DurakState:
        """Lay cards of the rank beside the attack, and ask the next player to defend."""
        seat, _, _, hands, table, _, moves, bout = state
        attacks, beats, unbeaten, cards, fitting = table
        new, played, _ = _CARD[move - TRANSFER] if move < BATCH else _batch(move // BATCH)
        hands = _without(hands, seat, played)
        table = (attacks + new, beats, unbeaten + new, cards | played, fitting)
        defender = self._next_defender(hands, bout)
        entitled = self._entitled(hands, seat, defender)
        limit = min(bout.most, hands[defender].bit_count())
        attacker = entitled[0] if entitled else seat
        bout = bout._replace(attacker=attacker, defender=defender, entitled=entitled, limit=limit)
        legal = _defences(hands[defender], table[UNBEATEN], bout.beaters) + self._transfers(
            hands, table, bout
        )
        return _state((defender, legal, DEFEND, hands, table, (), moves + 1, bout))

    def _defend(self, state: DurakState, move: Move) -> DurakState:
        """Take, transfer, or beat a card. When all are beaten, the asking starts at the principal attacker."""
        seat, _, _, hands, table, _, moves, bout = state
        if move == TAKE:
            return self._ask(GIVE, bout.entitled, hands, table, moves + 1, bout)
        if move >= TRANSFER:
            return self._transfer(state, move)
        attacks, beats, unbeaten, cards, fitting = table
        nth, card = move >> 6, move & 63
        _, played, same_rank = _CARD[card]
        hands = _without(hands, seat, played)
        beats += (unbeaten[nth] << 6 | card,)
        unbeaten = unbeaten[:nth] + unbeaten[nth + 1 :]
        table = (attacks, beats, unbeaten, cards | played, fitting | same_rank)
        if not unbeaten:
            return self._ask(THROW, bout.entitled, hands, table, moves + 1, bout)
        legal = _defences(hands[seat], unbeaten, bout.beaters)
        return _state((seat, legal, DEFEND, hands, table, (), moves + 1, bout))

    def _pass(self, state: DurakState) -> DurakState:
        """Pass, and ask the next attacker."""
        _, _, _, hands, table, asking, moves, bout = state
        if len(asking) == 1:
            return self._close(False, hands, table[CARDS], moves + 1, bout)
        return self._ask(THROW, asking[1:], hands, table, moves + 1, bout)

    def _give(self, state: DurakState, move: Move) -> DurakState:
        """While the defender takes: throw in and be asked again, or pass and ask the next attacker."""
        seat, _, _, hands, table, asking, moves, bout = state
        if move == PASS:
            if len(asking) == 1:
                return self._close(True, hands, table[CARDS], moves + 1, bout)
            return self._ask(GIVE, asking[1:], hands, table, moves + 1, bout)
        attacks, beats, unbeaten, cards, fitting = table
        new, played, _ = _CARD[move] if move < 64 else _batch(move // BATCH)
        hands = _without(hands, seat, played)
        table = (attacks + new, beats, unbeaten + new, cards | played, fitting)
        return self._ask(GIVE, asking, hands, table, moves + 1, bout)

    def _ask(
        self,
        question: int,
        asking: tuple[int, ...],
        hands: tuple[int, ...],
        table: Table,
        moves: int,
        bout: Bout,
    ) -> DurakState:
        """Ask the first of `asking` who has cards for attack cards.

        With nobody left to ask, or at the limit, the bout is over.
        """
        attacks, _, _, cards, fitting = table
        if len(attacks) < bout.limit:
            while asking:
                seat = asking[0]
                if hands[seat]:
                    fit = hands[seat] & fitting
                    legal = self._throws(fit, bout.limit - len(attacks)) if self._batches else _PASS_OR[fit]
                    return _state((seat, legal, question, hands, table, asking, moves, bout))
                asking = asking[1:]
        return self._close(question == GIVE, hands, cards, moves, bout)

    # 4. Drawing and the exchange

    def _close(self, taken: bool, hands: tuple[int, ...], cards: int, moves: int, bout: Bout) -> DurakState:
        """End the bout: take or discard its cards, draw, and find the next bout or the end of the deal."""
        attacker, defender, entitled, _, most, drawn, lain, _, deal, beaters = bout
        lain |= cards
        if taken:
            hands = _without(hands, defender, cards)
        else:
            most = MOST_ATTACKS
        claim, asked = _NO_CLAIM
        if drawn < len(deal.talon) - 1:
            before, order = hands, self._drawing[attacker][defender]
            hands, drawn = _draw(hands, deal.talon, drawn, order)
            if drawn == len(deal.talon) - 1:
                claim, asked = _claim(before, hands, order, lain, deal)
        if 0 not in hands:
            attacker, defender, entitled = self._with_all_in[attacker, defender, taken]
        elif drawn == len(deal.talon) - 1 and len(self._sides_with_cards(hands)) <= 1:
            over = bout._replace(drawn=drawn, lain=lain)
            return DurakState(NOBODY, (), OVER, hands, _BARE, (), moves, over)
        else:
            attacker, defender, entitled = self._following(hands, attacker, defender, taken)
        limit = hands[defender].bit_count()
        if limit > most:
            limit = most
        bout = _bout((attacker, defender, entitled, limit, most, drawn, lain, claim, deal, beaters))
        return _ask_claim(asked, hands, moves, bout) if asked else self._open(hands, moves, bout)

    def free_moves(self, state: DurakState, seat: int) -> tuple[Move, ...]:
        bout, six = state.bout, 1 << state.bout.deal.lowest
        if state.hands[seat] & six and not bout.lain & six and bout.left and state.to_move != NOBODY:
            return (EXCHANGE,)
        return ()

    def _exchange(self, state: DurakState, seat: int) -> DurakState:
        """Put the lowest trump under the talon. The same seat stays on turn."""
        bout, deal, six = state.bout, state.bout.deal, state.bout.deal.lowest
        after = state._replace(
            hands=_without(state.hands, seat, 1 << six | 1 << deal.trump_card),
            moves=state.moves + 1,
            bout=bout._replace(lain=bout.lain | 1 << six, deal=deal.exchanged()),
        )
        return self._asked_again(after) if seat == state.to_move else after

    def _asked_again(self, state: DurakState) -> DurakState:
        """Return the same question with the legal moves of the changed hand."""
        hand, (attacks, beats, unbeaten, _, fitting) = state.hands[state.to_move], state.table
        room = state.bout.limit - len(attacks)
        if state.question == DEFEND:
            legal = _defences(hand, unbeaten, state.bout.beaters)
            if self._may_transfer and not beats:
                legal += self._transfers(state.hands, state.table, state.bout)
            return state._replace(legal=legal)
        if state.question == ATTACK:
            return state._replace(legal=self._openings(hand, room))
        return state._replace(legal=self._throws(hand & fitting, room))

    def _answer_claim(self, state: DurakState, move: Move) -> DurakState:
        """After the last draw: exchange the lowest trump for the upturned trump in another hand, or pass."""
        _, _, _, hands, _, asking, moves, bout = state
        if move == PASS and len(asking) > 1:
            return _ask_claim(asking[1:], hands, moves + 1, bout)
        if move == EXCHANGE and bout.claim:
            six = 1 << bout.deal.lowest
            both = six | 1 << bout.deal.trump_card
            hands = _without(_without(hands, bout.claim.claimant, both), bout.claim.holder, both)
            bout = bout._replace(lain=bout.lain | six)
        return self._open(hands, moves + 1, bout)

    # 5. The next bout

    def _following(
        self, hands: tuple[int, ...], attacker: int, defender: int, taken: bool
    ) -> tuple[int, int, tuple[int, ...]]:
        """Return the attacker, the defender and the entitled attackers of the next bout."""
        if self._teams:
            mine, theirs = self._next_in_turn(hands, attacker), self._next_in_turn(hands, defender)
            beaten_off = (defender if hands[defender] else theirs), mine
            attacker, defender = (mine, theirs) if taken else beaten_off
        else:
            attacker = self._next_in_turn(hands, defender) if taken or not hands[defender] else defender
            defender = self._next_in_turn(hands, attacker)
        return attacker, defender, self._entitled(hands, attacker, defender)

    def _next_in_turn(self, hands: tuple[int, ...], seat: int) -> int:
        """Return the next seat with cards clockwise after `seat`, which itself comes last. Teams: of the same team."""
        for following in self._in_turn[seat]:
            if hands[following]:
                return following
        raise AssertionError("a deal ends before a side without cards is asked")

    # 6. The end of the deal

    def _sides_with_cards(self, hands: tuple[int, ...]) -> set[int]:
        return {side for side, hand in zip(self.sides, hands, strict=True) if hand}

    def _lost(self, state: DurakState, seat: int) -> bool:
        """Return whether this seat has lost, alone or with its team, in a deal that is over."""
        return state.question == OVER and self.sides[seat] in self._sides_with_cards(state.hands)

    def returns(self, state: DurakState) -> tuple[int, ...]:
        return tuple(-1 if self._lost(state, seat) else 0 for seat in range(self.seats))

    def next_dealer(self, state: DurakState) -> int:
        dealer = state.bout.deal.dealer
        clockwise = (*self._clockwise[dealer][1:], dealer)
        return next((seat for seat in clockwise if self._lost(state, seat)), dealer)

    # 7. The moves as text

    def text(self, state: DurakState, move: Move) -> str:
        if move in _WORDS:
            return _WORDS[move]
        question = state.question
        if question == DEFEND:
            if move < TRANSFER:
                return _BEAT_TEXT[state.table[UNBEATEN][move >> 6]][move & 63]
            cards = 1 << move - TRANSFER if move < BATCH else move // BATCH
            return f"transfer {' '.join(texts_of(cards))}"
        if move < 64:
            return _ATTACK_TEXT[move] if question == ATTACK else _THROW_TEXT[move]
        return f"{'attack' if question == ATTACK else 'throw'} {' '.join(texts_of(move // BATCH))}"

    def refusal(self, state: DurakState, seat: int, text: str) -> Refusal:
        verb, *cards = text.split(" ")
        malformed = self._malformed(verb, cards)
        if malformed:
            return NotAMove(malformed)
        if state.to_move == NOBODY:
            return IllegalMove("the deal is over")
        if verb == "exchange" and state.question != CLAIM:
            return IllegalMove(self._no_exchange(state, seat))
        if seat != state.to_move:
            return IllegalMove(f"it is the turn of seat {state.to_move}")
        answers = [verb for verb in _ANSWERS[state.question] if verb != "transfer" or self._may_transfer]
        if verb not in answers:
            return IllegalMove("you are asked for " + " or ".join(f"`{answer}`" for answer in answers))
        if verb == "exchange":
            return IllegalMove(
                f"{CARD_TEXT[state.bout.deal.lowest]} is not among the cards that you have just drawn"
            )
        return IllegalMove(self._why_not(state, seat, verb, [CARD_OF_TEXT[card] for card in cards]))

    def _malformed(self, verb: str, texts: list[str]) -> str:
        """Return why this is never a move of this game, or an empty text."""
        cards = [CARD_OF_TEXT.get(text, -1) for text in texts]
        if verb in _WORDS.values():
            return f"`{verb}` stands alone" if texts else ""
        if verb not in self.verbs or (verb == "transfer" and not self._may_transfer):
            transfer = "`transfer C`, " if self._may_transfer else ""
            return (
                f"a move is `attack C`, `throw C`, `beat A B`, {transfer}`take`, `pass` or `exchange`, "
                "as in `beat 7H TH`"
            )
        for text, card in zip(texts, cards, strict=True):
            if card not in self.pack:
                return f"{quoted(text)} is not in this pack; a card is its rank and suit, as in 6H or TD"
        if verb == "beat":
            return (
                ""
                if len(set(cards)) == len(cards) == 2
                else "`beat A B` names two cards: the attack card, then yours"
            )
        if not cards or (len(cards) > 1 and not self._batches):
            return f"`{verb} C` names one card"
        if cards != sorted(set(cards)) or len(cards) > MOST_ATTACKS:
            return "a batch is at most six cards, each once, by rank, then by suit in the order C D H S"
        return ""

    def _no_exchange(self, state: DurakState, seat: int) -> str:
        """Return why this seat may not exchange now."""
        six = state.bout.deal.lowest
        if not state.bout.left:
            return "the talon is empty"
        if not state.hands[seat] >> six & 1:
            return f"{CARD_TEXT[six]} is not in your hand"
        return f"{CARD_TEXT[six]} was picked up, which gives no right to exchange"

    def _why_not(self, state: DurakState, seat: int, verb: str, cards: list[int]) -> str:
        """Return why these cards are not legal now in an answer with the right verb."""
        own = cards[1:] if verb == "beat" else cards
        for card in own:
            if not state.hands[seat] >> card & 1:
                return f"{CARD_TEXT[card]} is not in your hand"
        if verb == "beat":
            attack, card = cards
            if attack not in state.table[UNBEATEN]:
                return f"{CARD_TEXT[attack]} is not an unbeaten attack card"
            return f"{CARD_TEXT[card]} does not beat {CARD_TEXT[attack]}"
        if verb == "attack" and len({card >> 2 for card in cards}) > 1:
            return "an opening batch is all of one rank"
        if verb == "transfer" and state.table[BEATS]:
            return "an attack of which a card is beaten can't be transferred"
        for card in cards:
            if verb != "attack" and not state.table[FITTING] >> card & 1:
                return f"{CARD_TEXT[card]} has a rank that is not in this bout"
        if verb == "transfer":
            return self._no_room_to_transfer(state)
        return f"at most {state.bout.limit - len(state.table[ATTACKS])} more attack cards may be played in this bout"

    def _no_room_to_transfer(self, state: DurakState) -> str:
        """Return why the next player can't be attacked with this number of cards."""
        following = self._next_defender(state.hands, state.bout)
        if following == NOBODY:
            return "nobody else holds cards"
        most = min(state.bout.most, state.hands[following].bit_count())
        return f"seat {following} can be attacked with at most {most} cards, the transferred ones included"

    # 8. What is seen

    def observe(self, state: DurakState, seat: int | None) -> dict[str, Any]:
        visible = Visible(self, state, seat)
        return {name: field(visible) for name, field in _FIELDS.items()}

    def glance(self, state: DurakState, seat: int | None, known: dict[str, Any]) -> LazyObservation:
        return LazyObservation(_FIELDS, Visible(self, state, seat), known)

    def deal_events(self, state: DurakState) -> list[Event]:
        deal = state.bout.deal
        dealt = {
            "type": "dealt",
            "trump": SUITS[deal.trump],
            "trump_card": _upturned(state),
            "talon": state.bout.left,
            "hand_sizes": [hand.bit_count() for hand in state.hands],
        }
        events = [Event(dealt, {seat: {"hand": texts_of(hand)} for seat, hand in enumerate(state.hands)})]
        if deal.turned_up >= 0:
            events.append(Event({"type": "shown", "seat": deal.dealer, "card": CARD_TEXT[deal.turned_up]}))
        if deal.lowest_trump >= 0:
            events.append(
                Event({"type": "shown", "seat": state.bout.attacker, "card": CARD_TEXT[deal.lowest_trump]})
            )
        return [*events, _bout_event(state)]

    def events(self, before: DurakState, seat: int, move: Move, after: DurakState) -> list[Event]:
        events: list[Event] = []
        if move == EXCHANGE:
            events.append(_exchange_event(before, seat))
        closed = before.table != _BARE and after.table == _BARE
        if closed:
            events += _closing_events(
                before, move, after, self._drawing[before.bout.attacker][before.bout.defender]
            )
        if before.question == DEFEND and move >= TRANSFER:
            events.append(Event({"type": "transferred", "seat": seat, **_roles(after)}))
        if after.question == ATTACK and (closed or before.question == CLAIM):
            events.append(_bout_event(after))
        return events


# 2. The deal


def talon_of(deck: Sequence[int], dealt: int) -> tuple[int, ...]:
    """Return `Deal.talon` after this number of cards went to the hands. The next one lies under the talon."""
    leaving = (*deck[dealt + 1 :], *deck[dealt : dealt + 1])
    return tuple(accumulate([1 << card for card in leaving], initial=0))


def _holder_of_lowest_trump(hands: tuple[int, ...], trumps: int, otherwise: int) -> tuple[int, int]:
    """Return the holder of the lowest trump in any hand, and this card; without one, `otherwise` and -1."""
    lowest = [(trump, seat) for seat, hand in enumerate(hands) for trump in cards_of(hand & trumps)[:1]]
    trump, seat = min(lowest, default=(-1, otherwise))
    return seat, trump


# 3. The bout


def _beaters(card: int, trump: int) -> int:
    """Return the mask of the cards that beat `card`."""
    return HIGHER[card] | (0 if card & 3 == trump else SUIT_MASK[trump])


BEATERS: Final = tuple(tuple(_beaters(card, trump) for card in range(52)) for trump in range(4))


class _Answers(dict[int, tuple[Move, ...]]):
    """By mask of cards: an answer that needs no card, then each of the cards. Small sets are cached."""

    def __init__(self, word: Move) -> None:
        self._word = word
        single = [1 << card for card in PACK]
        for size in range(3):
            for cards in combinations(single, size):
                self[sum(cards)] = self.__missing__(sum(cards))

    def __missing__(self, cards: int) -> tuple[Move, ...]:
        return (self._word, *cards_of(cards))


_PASS_OR: Final = _Answers(PASS)
_TAKE_OR: Final = _Answers(TAKE)
_state: Final = partial(tuple.__new__, DurakState)
_bout: Final = partial(tuple.__new__, Bout)
"""Create a state, or a bout, from its fields in order. This is much faster than `DurakState(...)`."""


def _without(hands: tuple[int, ...], seat: int, cards: int) -> tuple[int, ...]:
    """Return the hands after these cards have left, or entered, the seat's hand."""
    if len(hands) == 2:
        return (hands[0], hands[1] ^ cards) if seat else (hands[0] ^ cards, hands[1])
    return (*hands[:seat], hands[seat] ^ cards, *hands[seat + 1 :])


def _defences(hand: int, unbeaten: tuple[int, ...], beaters: tuple[int, ...]) -> tuple[Move, ...]:
    """Return the answers of the defender."""
    legal = _TAKE_OR[hand & beaters[unbeaten[0]]]
    for nth in range(1, len(unbeaten)):
        legal += tuple([nth << 6 | card for card in cards_of(hand & beaters[unbeaten[nth]])])
    return legal


def _batch(cards: int) -> tuple[tuple[int, ...], int, int]:
    """Return attack cards in ascending order, their mask, and the mask of all cards of their ranks."""
    same_rank = 0
    for card in cards_of(cards):
        same_rank |= RANK_MASK[card >> 2]
    return cards_of(cards), cards, same_rank


_CARD: Final = tuple(_batch(1 << card) for card in range(52))
"""By card, `_batch` of this single card."""


def _batches(cards: int, most: int) -> tuple[Move, ...]:
    """Return the moves that play two to `most` of these cards."""
    single = [BATCH << card for card in cards_of(cards)]
    sizes = range(2, min(most, len(single)) + 1)
    return tuple([sum(batch) for size in sizes for batch in combinations(single, size)])


# 4. Drawing and the exchange


def _draw(
    hands: tuple[int, ...], talon: tuple[int, ...], drawn: int, order: tuple[int, ...]
) -> tuple[tuple[int, ...], int]:
    """Return the hands and the number of cards drawn so far, after all have drawn to six in this order."""
    whole = len(talon) - 1
    for seat in order:
        until = drawn + HAND - hands[seat].bit_count()
        if until > drawn:
            if until > whole:
                until = whole
            hands = _without(hands, seat, talon[drawn] ^ talon[until])
            drawn = until
    return hands, drawn


_NO_CLAIM: Final[tuple[FinalExchange | None, tuple[int, ...]]] = (None, ())


def _claim(
    before: tuple[int, ...], after: tuple[int, ...], order: tuple[int, ...], lain: int, deal: Deal
) -> tuple[FinalExchange | None, tuple[int, ...]]:
    """Return the claim after the last drawing, and the seats asked: all who drew, except the trump's holder."""
    six = deal.lowest
    if (lain | deal.shown) >> six & 1:
        return _NO_CLAIM
    drawn = {seat: after[seat] & ~before[seat] for seat in order}
    holder = next(seat for seat in order if drawn[seat] >> deal.trump_card & 1)
    asked = tuple(seat for seat in order if drawn[seat] and seat != holder)
    claimant = next((seat for seat in asked if drawn[seat] >> six & 1), NOBODY)
    return FinalExchange(claimant, holder), asked


def _ask_claim(asking: tuple[int, ...], hands: tuple[int, ...], moves: int, bout: Bout) -> DurakState:
    """Ask the first of `asking` whether to exchange, before `bout` begins."""
    seat = asking[0]
    legal = (PASS, EXCHANGE) if bout.claim and bout.claim.claimant == seat else (PASS,)
    return DurakState(seat, legal, CLAIM, hands, _BARE, asking, moves, bout)


# 7. The moves as text

_ATTACK_TEXT: Final = tuple([f"attack {text}" for text in CARD_TEXT])
_THROW_TEXT: Final = tuple([f"throw {text}" for text in CARD_TEXT])
_BEAT_TEXT: Final = tuple([tuple([f"beat {text} {other}" for other in CARD_TEXT]) for text in CARD_TEXT])
"""By card, or by attack card and beating card, the text of the move."""
_ANSWERS: Final = (
    ("attack",),
    ("throw", "pass"),
    ("beat", "take", "transfer"),
    ("throw", "pass"),
    ("pass", "exchange"),
)
"""By question, the verbs that answer it."""


# 8. What is seen


class Visible:
    """What an observation is made from. It keeps nothing else of the state. Cards and sets of cards are ints."""

    def __init__(self, game: Durak, state: DurakState, seat: int | None) -> None:
        """Note what `seat` sees."""
        to_move, _, question, hands, table, _, moves, bout = state
        in_sight = bout.lain | bout.deal.shown
        self.pack = game.pack
        self.seat = seat
        self.to_move = None if to_move == NOBODY else to_move
        self.question = question
        self.hand = 0 if seat is None else hands[seat]
        self.sizes = [hand.bit_count() for hand in hands]
        self.trump = bout.deal.trump
        self.talon = bout.left
        self.upturned = bout.deal.trump_card if self.talon else -1
        """The card under the talon; -1 when there is no talon."""
        self.attacker, self.defender, self.entitled = bout.attacker, bout.defender, bout.entitled
        self.table = table
        self.limit = bout.limit
        self.known = [hand & in_sight for hand in hands]
        self.teams = game.members
        self.moves = moves
        self.turn_limit = game.most_moves


def _pairs(visible: Visible) -> list[list[str | None]]:
    attacks, beats, _, _, _ = visible.table
    beaten_by = {beat >> 6: CARD_TEXT[beat & 63] for beat in beats}
    return [[CARD_TEXT[attack], beaten_by.get(attack)] for attack in attacks]


def _discard(visible: Visible) -> int:
    return len(visible.pack) - sum(visible.sizes) - visible.talon - visible.table[CARDS].bit_count()


def _unless_over(visible: Visible, value: Any, otherwise: Any = None) -> Any:
    return otherwise if visible.to_move is None else value


_FIELDS: Final[dict[str, Callable[[Visible], Any]]] = {
    "seat": lambda visible: visible.seat,
    "to_move": lambda visible: visible.to_move,
    "question": lambda visible: QUESTIONS[visible.question],
    "hand": lambda visible: texts_of(visible.hand),
    "hand_sizes": lambda visible: list(visible.sizes),
    "trump": lambda visible: SUITS[visible.trump],
    "trump_card": lambda visible: None if visible.upturned < 0 else CARD_TEXT[visible.upturned],
    "talon": lambda visible: visible.talon,
    "discard": _discard,
    "attacker": lambda visible: _unless_over(visible, visible.attacker),
    "defender": lambda visible: _unless_over(visible, visible.defender),
    "entitled": lambda visible: _unless_over(visible, list(visible.entitled), []),
    "pairs": _pairs,
    "taking": lambda visible: visible.question == GIVE,
    "room": lambda visible: _unless_over(visible, visible.limit - len(visible.table[ATTACKS]), 0),
    "known": lambda visible: [texts_of(hand) for hand in visible.known],
    "out": lambda visible: (
        [] if visible.talon else [seat for seat, size in enumerate(visible.sizes) if not size]
    ),
    "teams": lambda visible: visible.teams and [list(team) for team in visible.teams],
    "moves_made": lambda visible: visible.moves,
    "turn_limit": lambda visible: visible.turn_limit,
}
"""By field of `DurakObservation`, how it follows from what is visible."""


def _upturned(state: DurakState) -> str | None:
    """Return the upturned card while it lies under the talon."""
    return CARD_TEXT[state.bout.deal.trump_card] if state.bout.left else None


def _bout_event(state: DurakState) -> Event:
    return Event({"type": "bout", **_roles(state)})


def _roles(state: DurakState) -> dict[str, Any]:
    bout = state.bout
    return {"attacker": bout.attacker, "defender": bout.defender, "entitled": list(bout.entitled)}


def _exchange_event(before: DurakState, seat: int) -> Event:
    """Return the event of an exchange, from under the talon or out of the hand of seat `from`."""
    claim = before.bout.claim if before.question == CLAIM else None
    return Event(
        {
            "type": "exchanged",
            "seat": seat,
            "given": CARD_TEXT[before.bout.deal.lowest],
            "received": CARD_TEXT[before.bout.deal.trump_card],
            "from": claim.holder if claim else None,
        }
    )


def _closing_events(
    before: DurakState, move: Move, after: DurakState, drawing: tuple[int, ...]
) -> list[Event]:
    """Return the events of the end of a bout and of the drawing after it."""
    table = before.table[CARDS]
    if before.question == DEFEND and move != TAKE:
        table |= 1 << (move & 63)
    elif move not in _WORDS:
        table |= 1 << move if move < 64 else move // BATCH
    if before.question == GIVE or move == TAKE:
        events = [Event({"type": "taken", "seat": before.bout.defender, "cards": texts_of(table)})]
    else:
        events = [Event({"type": "beaten_off", "count": table.bit_count()})]
    under = before.bout.deal.trump_card
    for drawer in drawing:
        drawn = after.hands[drawer] & ~before.hands[drawer] & ~table
        if drawn:
            trump_card = CARD_TEXT[under] if under >= 0 and drawn >> under & 1 else None
            public = {"type": "drawn", "seat": drawer, "count": drawn.bit_count(), "trump_card": trump_card}
            events.append(Event(public, {drawer: {"cards": texts_of(drawn)}}))
    return events
