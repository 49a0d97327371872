"""The pile games: the rules that Kryt'-navalivat' and Svoi Kozyri share. Each game's file states the rest.

Source: the pages on Kryt'-navalivat' and on Svoi Kozyri of a well-known collection of card game rules. (*)
marks a point that the sources leave open; this rule book settles it.

1. Leading
   The player on the dealer's left leads one card to the empty pile. Whenever a player on turn finds no pile,
   that player leads.

2. Beating
   On turn with a pile, a player may beat its top card with a card of the hand and must put any other card of
   the hand on top, both in one move. A single card in hand beats alone. The game says what beats what.

3. Picking up
   Instead of beating, a player may take cards from the top of the pile into the hand, even when able to beat.
   The game says how many, by the top card; a pile with fewer cards is taken whole. The rest of the pile
   stays, and the next player faces its top card.

4. The next turn
   The turn passes clockwise to the next player with cards.

5. Going out and the free lead
   With no stock left, a player without cards is out. A player who goes out by beating with a single card
   leaves no card for the next player to beat. If at least two others hold cards, the next player must lead a
   card on top of the pile, whatever lies there, and cannot pick up.

6. The end of the deal
   The deal ends at once when only one player holds cards, and this player has lost. But the deal is a draw if
   the play that left this player alone ended in a led card (*: a lead, or the second card of a beat), the player
   holds just one card, and this card beats the led card. The player is not asked (*). A deal without a result
   after `turn_limit` moves is a draw (*). The loser deals next; after a draw the same player deals again.

7. The moves as text
   `lead C`, `beat B C` with C the card on top, `beat B` with a single card in hand, `pickup`.

8. What is seen
   Everybody sees the top card and the size of the pile, and remembers which cards went from the pile to which
   hand. The player on turn may look at the cards that a pickup would bring and at the one right under them; a
   free lead gives no such look (*).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Final, Literal, NamedTuple, TypedDict

from engine.cards import CARD_OF_TEXT, CARD_TEXT, HIGHER, SUIT_MASK, cards_of, mask_of, texts_of
from engine.game import NOBODY, Event, Game, IllegalMove, Move, NotAMove, Options, Refusal
from engine.seen import FIXED, Card, Count, Moves, Seat

# A move is the card to lead, PICKUP, or `64 * (B + 1) + C` to beat with B and play C on it, with ALONE for no C.
PICKUP: Final = 52
ALONE: Final = 63

WHOLE_PILE: Final = 52
"""The number of cards in a pickup that takes the whole pile."""

TURN_LIMIT: Final[Mapping[str, Any]] = MappingProxyType(
    {
        "type": "integer",
        "minimum": 50,
        "maximum": 100_000,
        "title": "Turn limit",
        "description": "A deal without a result after this many moves is a draw.",
        "default": 1000,
    }
)
"""The schema of the option `turn_limit`."""


class Dealt(NamedTuple):
    """The facts that the deal itself settles."""

    dealer: int
    trumps: tuple[int, ...]
    """By seat, the trump suit on that seat's turn."""
    hands: tuple[int, ...]
    """By seat, the cards as they were dealt."""
    given: tuple[tuple[int, int, int], ...]
    """The cards then given away in view of all: giver, receiver, card."""


class PileState(NamedTuple):
    """A deal between two moves. Hands are masks of cards, by seat."""

    to_move: int
    legal: Sequence[Move]
    """The cards to lead; or the pickup, then the beats in ascending order."""
    hands: tuple[int, ...]
    pile: tuple[int, ...]
    """From the bottom to the top."""
    stock: tuple[int, ...]
    """The cards in drawing order, an upturned one last."""
    seen: int
    """All cards that have lain face up or been shown. Every seat knows where they are now."""
    free: bool
    """Whether a free lead is due."""
    loser: int
    """The loser, or `NOBODY`."""
    moves: int
    dealt: Dealt


BySuit = tuple[tuple[int, ...], ...]
"""A value for each trump suit and card."""


class PileObservation(TypedDict):
    """What one seat, or a spectator, sees of a deal of either game."""

    seat: Annotated[Seat | None, "The seat that sees this; null for a spectator"]
    to_move: Annotated[Seat | None, "The seat that is asked; null when the deal is over"]
    question: Annotated[
        Literal["lead", "beat", "free_lead"] | None,
        "What is asked: lead (a card to the empty pile), beat (the top card, or pick up), free_lead (a card on "
        "top of the pile, whatever lies there); null when the deal is over",
    ]
    hand: Annotated[list[Card], "Your cards, by rank, then by suit; empty for a spectator"]
    hand_sizes: Annotated[list[Count], "The number of cards in each hand, by seat"]
    pile: Annotated[Count, "Cards in the pile"]
    top: Annotated[Card | None, "The top card of the pile; null when there is no pile"]
    pickup: Annotated[
        list[Card] | None,
        "The cards that a pickup would bring, the top card first; null unless you are asked to beat",
    ]
    under: Annotated[
        Card | None,
        "The card right under those of `pickup`, which would be the new top; null if there is none, or unless you are "
        "asked to beat",
    ]
    known: Annotated[
        list[list[Card]],
        "By seat, the cards that everybody knows to lie in that hand: picked up or shown in sight of all",
    ]
    out: Annotated[list[Seat], "The seats that have got rid of all their cards"]
    moves_made: Annotated[Moves, "Moves made in this deal, exchanges among them"]
    turn_limit: Annotated[int, FIXED, "At this number of moves the deal is a draw"]


class PileGame(Game):
    """A pile game at one table: sections 1 to 8. A subclass adds the table, the deal and two lookup tables."""

    verbs: ClassVar[tuple[str, ...]] = ("beat", "lead", "pickup")
    safe_move_text = "Picks up, or leads the lowest card."
    move_forms: ClassVar[str] = "`lead C`, `beat B C`, `beat B` or `pickup`, as in `beat 7H TH`"

    def __init__(
        self,
        seats: int,
        options: Options,
        beaters: BySuit,
        pickups: BySuit,
    ) -> None:
        """Set up the lookup tables. The subclass must have set `pack`.

        `beaters[trump][top]` are the cards that beat the top card for a player with this trump suit.
        `pickups[trump][top]` is the number of cards in a pickup.
        """
        self.seats = seats
        self.options = MappingProxyType(dict(options))
        self.sides = tuple(range(seats))
        self._beaters, self._pickups = beaters, pickups
        self.most_moves: int = options["turn_limit"]
        self._after = [tuple((seat + step) % seats for step in range(1, seats + 1)) for seat in range(seats)]

    # 1. Leading

    def begin(self, hands: tuple[int, ...], stock: tuple[int, ...], seen: int, dealt: Dealt) -> PileState:
        """Return the state after the deal: the player on the dealer's left leads."""
        return self.ask(self._after[dealt.dealer][0], hands, (), stock, seen, False, 0, dealt)

    def play(self, state: PileState, seat: int, move: Move) -> PileState:
        if seat == state.to_move and move in state.legal:
            return self._pick_up(state, seat) if move == PICKUP else self._put(state, seat, move)
        if move in self.free_moves(state, seat):
            return self.play_free(state, seat, move)
        raise IllegalMove(f"seat {seat} has no such move now")

    def play_free(self, state: PileState, seat: int, move: Move) -> PileState:
        """Return the state after a legal free move. Called only for games with free moves."""
        raise NotImplementedError

    def safe_move(self, state: PileState) -> Move:
        return state.legal[0]

    # 2. Beating

    def _put(self, state: PileState, seat: int, move: Move) -> PileState:
        """Put the cards of a lead or a beat on the pile, fill up the hand, and pass the turn."""
        _, _, hands, pile, stock, seen, _, _, moves, dealt = state
        cards, mask = _PUT[move]
        hand = hands[seat] ^ mask
        if stock:
            hand, stock = self.fill_up(hand, stock)
        hands = _with(hands, seat, hand)
        following, free = self._next(seat, hands), False
        if not hand:
            if following == self._next(following, hands):
                return self._end(state, hands, pile + cards, seen | mask, following, move)
            free = move & 63 == ALONE
        return self.ask(following, hands, pile + cards, stock, seen | mask, free, moves + 1, dealt)

    def fill_up(self, hand: int, stock: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
        """Return the hand and the stock after the player has drawn. Called only for games with a stock."""
        raise NotImplementedError

    # 3. Picking up

    def _pick_up(self, state: PileState, seat: int) -> PileState:
        """Take cards from the top of the pile into the hand, and pass the turn."""
        _, _, hands, pile, stock, seen, _, _, moves, dealt = state
        count = self._pickups[dealt.trumps[seat]][pile[-1]]
        hand = hands[seat]
        for card in pile[-count:]:
            hand |= 1 << card
        hands = _with(hands, seat, hand)
        return self.ask(self._next(seat, hands), hands, pile[:-count], stock, seen, False, moves + 1, dealt)

    # 4. The next turn

    def _next(self, seat: int, hands: tuple[int, ...]) -> int:
        """Return the next seat with cards clockwise after `seat`, which itself comes last."""
        for following in self._after[seat]:
            if hands[following]:
                return following
        raise AssertionError("a deal ends before the last player is out of cards")

    def ask(
        self,
        seat: int,
        hands: tuple[int, ...],
        pile: tuple[int, ...],
        stock: tuple[int, ...],
        seen: int,
        free: bool,
        moves: int,
        dealt: Dealt,
    ) -> PileState:
        """Return the state with `seat` on turn, or the draw if the deal has reached the turn limit."""
        if moves >= self.most_moves:
            return PileState(NOBODY, (), hands, pile, stock, seen, False, NOBODY, moves, dealt)
        hand = hands[seat]
        legal: Sequence[Move]
        if free or not pile:
            legal = cards_of(hand)
        elif beaters := hand & self._beaters[dealt.trumps[seat]][pile[-1]]:
            legal = Beats(hand, beaters) if hand & (hand - 1) else (PICKUP, hand.bit_length() << 6 | ALONE)
        else:
            legal = _PICKUP_ONLY
        return _state((seat, legal, hands, pile, stock, seen, free, NOBODY, moves, dealt))

    # 6. The end of the deal

    def _end(
        self,
        before: PileState,
        hands: tuple[int, ...],
        pile: tuple[int, ...],
        seen: int,
        last: int,
        move: Move,
    ) -> PileState:
        """Return the final state. `move` has left only `last` with cards."""
        dealt = before.dealt
        led, single = move & 63 != ALONE, hands[last].bit_count() == 1
        drawn = led and single and hands[last] & self._beaters[dealt.trumps[last]][pile[-1]]
        loser = NOBODY if drawn else last
        return PileState(NOBODY, (), hands, pile, (), seen, False, loser, before.moves + 1, dealt)

    def returns(self, state: PileState) -> tuple[int, ...]:
        return tuple(-1 if seat == state.loser else 0 for seat in self.sides)

    def next_dealer(self, state: PileState) -> int:
        return state.dealt.dealer if state.loser == NOBODY else state.loser

    # 7. The moves as text

    def text(self, state: PileState, move: Move) -> str:
        return _TEXT[move]

    def parse(self, state: PileState, seat: int, text: str) -> Move:
        move = _MOVE_OF_TEXT.get(text)
        if move is not None and seat == state.to_move and move in state.legal:
            return move
        return super().parse(state, seat, text)

    def refusal(self, state: PileState, seat: int, text: str) -> Refusal:
        if text not in _MOVE_OF_TEXT:
            return NotAMove(f"a move is {self.move_forms}; B and C are two cards, as in 6H or TD")
        verb, *texts = text.split(" ")
        cards = [CARD_OF_TEXT[card] for card in texts]
        strange = [card for card in cards if card not in self.pack]
        if strange:
            return NotAMove(f"{CARD_TEXT[strange[0]]} is not in this pack")
        if state.to_move == NOBODY:
            return IllegalMove("the deal is over")
        if seat != state.to_move:
            return IllegalMove(f"it is the turn of seat {state.to_move}")
        return IllegalMove(self._why_not(state, seat, verb, cards))

    def _why_not(self, state: PileState, seat: int, verb: str, cards: list[int]) -> str:
        """Return why this well-formed answer is not legal for the seat to move."""
        if state.free and verb != "lead":
            return "a free lead is due: `lead C` puts a card on top of the pile"
        if not state.pile and verb != "lead":
            return "there is no pile: `lead C`"
        if state.pile and verb == "lead" and not state.free:
            return "there is a pile: `beat B C` or `pickup`"
        for card in cards:
            if not state.hands[seat] >> card & 1:
                return f"{CARD_TEXT[card]} is not in your hand"
        if not self._beaters[state.dealt.trumps[seat]][state.pile[-1]] >> cards[0] & 1:
            return f"{CARD_TEXT[cards[0]]} does not beat {CARD_TEXT[state.pile[-1]]}"
        return "`beat B` needs a second card from your hand to play on top: `beat B C`"

    # 8. What is seen

    def observe_pile(self, state: PileState, seat: int | None) -> PileObservation:
        """Return the fields of an observation that both games share."""
        hands, pile = state.hands, state.pile
        over = state.to_move == NOBODY
        pickup, under = self._look(state) if seat == state.to_move else (None, None)
        return {
            "seat": seat,
            "to_move": None if over else state.to_move,
            "question": None if over else "free_lead" if state.free else "beat" if pile else "lead",
            "hand": [] if seat is None else texts_of(hands[seat]),
            "hand_sizes": [hand.bit_count() for hand in hands],
            "pile": len(pile),
            "top": CARD_TEXT[pile[-1]] if pile else None,
            "pickup": pickup,
            "under": under,
            "known": [texts_of(hand & state.seen) for hand in hands],
            "out": [player for player, hand in enumerate(hands) if not hand],
            "moves_made": state.moves,
            "turn_limit": self.most_moves,
        }

    def _look(self, state: PileState) -> tuple[list[str] | None, str | None]:
        """Return what the player on turn may look at: a pickup, the top card first, and the card under it."""
        if state.free or not state.pile:
            return None, None
        top_first = [CARD_TEXT[card] for card in reversed(state.pile)]
        count = self._pickups[state.dealt.trumps[state.to_move]][state.pile[-1]]
        return top_first[:count], top_first[count] if count < len(top_first) else None

    def events(self, before: PileState, seat: int, move: Move, after: PileState) -> list[Event]:
        events: list[Event] = []
        if move == PICKUP:
            taken = [CARD_TEXT[card] for card in reversed(before.pile[len(after.pile) :])]
            events.append(Event({"type": "taken", "seat": seat, "cards": taken}))
        if not after.hands[seat]:
            events.append(Event({"type": "out", "seat": seat}))
        return events


# 1. Leading


def deal_round(seats: int, dealer: int, cards: Sequence[int]) -> tuple[int, ...]:
    """Return the hands after dealing all these cards one at a time, clockwise from the dealer's left."""
    return tuple([mask_of(cards[(seat - dealer - 1) % seats :: seats]) for seat in range(seats)])


# 2. Beating

_state: Final = partial(tuple.__new__, PileState)
"""Create a state from its fields in order. This is much faster than `PileState(...)`."""


def _with(hands: tuple[int, ...], seat: int, hand: int) -> tuple[int, ...]:
    """Return the hands with the seat's hand replaced."""
    changed = list(hands)
    changed[seat] = hand
    return tuple(changed)


def beaters_with(trump: int) -> tuple[int, ...]:
    """Return, by top card, the cards that beat it: the higher ones of its suit, and for a non-trump all trumps."""
    return tuple([HIGHER[top] | (0 if top & 3 == trump else SUIT_MASK[trump]) for top in range(52)])


def _put_table() -> tuple[tuple[tuple[int, ...], int], ...]:
    """Return, by move, the cards that it puts on the pile, as a tuple and as a mask."""
    table: list[tuple[tuple[int, ...], int]] = [((), 0)] * (53 << 6)
    for card in range(52):
        table[card] = table[card + 1 << 6 | ALONE] = (card,), 1 << card
        for second in range(52):
            table[card + 1 << 6 | second] = (card, second), 1 << card | 1 << second
    return tuple(table)


_PUT: Final = _put_table()

_PICKUP_ONLY: Final = (PICKUP,)
_BEAT: Final = tuple([tuple([beater + 1 << 6 | card for card in range(52)]) for beater in range(52)])
"""By beating card and second card, the move. Sharing these ints saves memory."""


class Beats(Sequence[Move]):
    """The answers of a hand of several cards: the pickup, then each beating card with each other card on top.

    There are 37 of them on average in Svoi Kozyri, and playouts look at few, so they are generated when they are
    looked at.
    """

    __slots__ = ("_beaters", "_hand", "_others")

    def __init__(self, hand: int, beaters: int) -> None:
        """`beaters` are the cards of the hand that beat the top card. There is at least one."""
        self._hand, self._beaters, self._others = hand, beaters, hand.bit_count() - 1

    def __len__(self) -> int:
        return 1 + self._beaters.bit_count() * self._others

    def __getitem__(self, at: Any) -> Any:
        if not isinstance(at, int) or at < 0:
            return tuple(self)[at]
        if at == 0:
            return PICKUP
        nth = (at - 1) // self._others
        beater = cards_of(self._beaters)[nth]
        return _BEAT[beater][cards_of(self._hand ^ 1 << beater)[at - 1 - nth * self._others]]

    def __iter__(self) -> Iterator[Move]:
        hand, moves = self._hand, [PICKUP]
        for beater in cards_of(self._beaters):
            row = _BEAT[beater]
            moves += [row[card] for card in cards_of(hand ^ 1 << beater)]
        return iter(moves)

    def __contains__(self, move: object) -> bool:
        if not isinstance(move, int):
            return False
        beater, card = (move >> 6) - 1, move & 63
        if beater < 0:
            return move == PICKUP
        return bool(self._beaters >> beater & 1 and (self._hand ^ 1 << beater) >> card & 1)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Beats):
            return NotImplemented
        return self._hand == other._hand and self._beaters == other._beaters

    def __hash__(self) -> int:
        return hash((self._hand, self._beaters))


# 7. The moves as text


def _text_table() -> dict[Move, str]:
    table = {PICKUP: "pickup"}
    for card, text in enumerate(CARD_TEXT):
        table[card] = f"lead {text}"
        table[card + 1 << 6 | ALONE] = f"beat {text}"
        for second, other in enumerate(CARD_TEXT):
            if second != card:
                table[card + 1 << 6 | second] = f"beat {text} {other}"
    return table


_TEXT: Final = _text_table()
_MOVE_OF_TEXT: Final = {text: move for move, text in _TEXT.items()}
