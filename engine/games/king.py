"""King: four players, eight tricks a deal, and twelve deals that each score differently.

Source: the King Card Game page of an American collection of free card games. (*) marks a point that the
source leaves open or states in two ways; this rule book settles it.

1. The table
   Four players, each for themselves. 32 cards, 7 low, ace high. A match is twelve deals, no other number.
   There are no options.

2. The twelve deals
   Each deal has a contract: what scores, and what a player may not do.
    1     no tricks: -2 a trick
    2     no hearts: -2 a heart taken; nobody leads a heart while holding another suit
    3     no jacks: -4 a jack
    4     no queens: -4 a queen
    5     no last two: -8 for each of tricks seven and eight
    6     no king of hearts: -16; a player who holds it and cannot follow suit must play it
    7     negative yeralash: all six together, with both restrictions
    8-11  khvalenki: +3 a trick
    12    positive yeralash: as 7 with plus signs, and ("played as the negative one" *) both restrictions

3. The deal
   Deals 1-7 and 12: two cards at a time, clockwise from the dealer's left, four times round. Deals 8-11: a
   packet of three to each, then the declaration, then packets of two, two and one (*).

4. The declaration
   In deals 8-11 the player left of the dealer, having seen three cards, declares. `declare C` (D, H, S) makes
   that suit trump. `declare last` makes the suit of the declarer's eighth card trump, and that card is shown
   to all. `declare miser` means no trumps and reversed ranks, 7 high, ace low; the aim is still to take
   tricks. Nobody sees more than three cards before the declaration.

5. The play
   The player left of the dealer leads the first trick. Each player in turn, clockwise, plays a card of the
   suit led, or any card without one. The restrictions of the contract come on top: no heart is led from a
   hand with another suit, and a player who cannot follow suit must play the king of hearts. No contract
   forces a player to lead the king of hearts while another card may be led, or to follow suit with it while
   holding another heart (*). A lone king of hearts must follow a heart lead, like any other card.

6. The trick
   The highest trump takes the trick; without a trump in it, the highest card of the suit led. Its taker leads
   the next one. All eight are always played (*).

7. The scores
   Each player scores the tricks taken, by the contract. The four scores of a deal sum to -16 (deals 1-6), -96
   (7), +24 (8-11) or +96 (12), those of a match to 0. In a deal that is broken off, the tricks taken so far
   count (*).

8. The next deal
   The next seat clockwise deals (*).

9. The moves as text
   `play C`, `declare C|D|H|S`, `declare last`, `declare miser`. The safe move is `declare last` or the lowest
   legal card, by printed rank (in a miser too), then in the order C D H S.

10. What is seen
    Everybody sees all cards played and taken, the number of cards in each hand, and the card that `declare
    last` shows. That card is known to be in the declarer's hand until it is played.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from operator import itemgetter
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Final, Literal, NamedTuple, Self, TypedDict

from engine.cards import CARD_OF_TEXT, CARD_TEXT, RANKS, SUITS, pack_from
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
from engine.options import checked_seats
from engine.relabelling import ALL_RELABELLINGS, Suits
from engine.seen import Card, Count, Play, Points, Seat, Suit

# 1. The table

PLAYERS: Final = 4
TRICKS: Final = 8
PACK: Final = pack_from("7")
HEART: Final = SUITS.index("H")
JACK: Final = RANKS.index("J")
QUEEN: Final = RANKS.index("Q")
KING_OF_HEARTS: Final = CARD_OF_TEXT["KH"]
ACE_OF_SPADES: Final = CARD_OF_TEXT["AS"]
"""The highest card. Every higher move is a declaration."""

# 2. The twelve deals


class Contract(NamedTuple):
    """The points of a deal and its restrictions."""

    name: str
    trick: int = 0
    heart: int = 0
    jack: int = 0
    queen: int = 0
    last_two: int = 0
    king_of_hearts: int = 0
    hearts_last: bool = False
    king_forced: bool = False
    declared: bool = False


KHVALENKA: Final = Contract("khvalenka", trick=3, declared=True)
CONTRACTS: Final = (
    Contract("no_tricks", trick=-2),
    Contract("no_hearts", heart=-2, hearts_last=True),
    Contract("no_jacks", jack=-4),
    Contract("no_queens", queen=-4),
    Contract("no_last_two", last_two=-8),
    Contract("no_king_of_hearts", king_of_hearts=-16, king_forced=True),
    Contract("negative_yeralash", -2, -2, -4, -4, -8, -16, hearts_last=True, king_forced=True),
    KHVALENKA,
    KHVALENKA,
    KHVALENKA,
    KHVALENKA,
    Contract("positive_yeralash", +2, +2, +4, +4, +8, +16, hearts_last=True, king_forced=True),
)
"""The contracts of deals 1 to 12, by index from 0."""


def points_of(contract: Contract, number: int, cards: Sequence[int]) -> int:
    """Return the points of a trick for its taker. `number` counts the tricks from 1."""
    points = contract.trick + (contract.last_two if number > TRICKS - 2 else 0)
    for card in cards:
        points += contract.heart if card & 3 == HEART else 0
        points += contract.jack if card >> 2 == JACK else contract.queen if card >> 2 == QUEEN else 0
        points += contract.king_of_hearts if card == KING_OF_HEARTS else 0
    return points


def points_of_all(contract: Contract) -> int:
    """Return the sum of the points of all tricks."""
    suit, rank = len(PACK) // 4, 4
    return (
        TRICKS * contract.trick
        + suit * contract.heart
        + rank * (contract.jack + contract.queen)
        + 2 * contract.last_two
        + contract.king_of_hearts
    )


# The state of a deal and its moves. A move is a card or a declaration.

NO_TRUMP: Final = 4
MISER: Final = 5
NONE: Final = -1

DECLARATIONS: Final[tuple[Move, ...]] = (52, 53, 54, 55, 56, 57)
LAST, IN_REVERSE = DECLARATIONS[4:]
_DECLARATION_TEXT: Final = dict(zip(DECLARATIONS, (*SUITS, "last", "miser"), strict=True))


class Terms(NamedTuple):
    """The facts that are constant during the play of a deal."""

    contract: Contract
    first: int
    """The player left of the dealer, who declares and leads."""
    declared: Move = NONE
    trump: int = NO_TRUMP
    """A suit, `NO_TRUMP` or `MISER`."""
    shown: int = NONE
    """The card that `declare last` has shown."""
    stock: tuple[int, ...] = ()
    """The cards that are not yet dealt: 20 during the declaration, else none."""


class KingState(NamedTuple):
    """A deal in progress."""

    to_move: int
    legal: tuple[Move, ...]
    hands: int
    """The four hands, 32 bits each: a byte for each suit in the order C D H S, and in it a bit for each rank
    from the 7."""
    trick: tuple[int, ...]
    """The trick that is being played: the leader's seat, then the cards."""
    tricks: tuple[tuple[int, ...], ...]
    """The tricks taken, in the same form. The taker of a trick leads the next one."""
    terms: Terms


_BIT: Final = {card: 1 << 8 * (card & 3) + (card - PACK[0] >> 2) for card in PACK}
# By seat: the bit of each card in `hands`, and the offset of the byte of each suit.
_BIT_AT: Final = tuple(tuple(_BIT.get(card, 0) << 32 * seat for card in range(52)) for seat in range(PLAYERS))
_SUIT_AT: Final = tuple(tuple(32 * seat + 8 * suit for suit in range(4)) for seat in range(PLAYERS))
_KING_OF_HEARTS_BIT: Final = _BIT[KING_OF_HEARTS]
_ALL: Final = (1 << 32) - 1
_NO_HEARTS: Final = _ALL ^ 255 << 8 * HEART
_CARDS_OF_SUIT: Final = tuple(
    tuple(tuple(PACK[0] + 4 * rank + suit for rank in range(8) if byte >> rank & 1) for byte in range(256))
    for suit in range(4)
)
_CLUBS: Final = _CARDS_OF_SUIT[0]
_DIAMONDS: Final = _CARDS_OF_SUIT[1]
_HEARTS: Final = _CARDS_OF_SUIT[2]
_SPADES: Final = _CARDS_OF_SUIT[3]
_state: Final = partial(tuple.__new__, KingState)
"""Create a state from its fields in order. This is much faster than `KingState(...)`."""


def _cards(hand: int) -> tuple[int, ...]:
    """Return the cards of a hand, by suit, then by rank."""
    return _CLUBS[hand & 255] + _DIAMONDS[hand >> 8 & 255] + _HEARTS[hand >> 16 & 255] + _SPADES[hand >> 24]


def hands_by_seat(hands: int) -> list[list[int]]:
    """Return the cards of each seat, by rank, then by suit."""
    return [sorted(_cards(hands >> 32 * seat & _ALL)) for seat in range(PLAYERS)]


# 3. The deal

_Places = tuple[Callable[[Sequence[int]], tuple[int, ...]], ...]


def _places(packets: Sequence[int]) -> _Places:
    """Return, by place from the dealer's left, a function that picks this player's cards from a deck."""
    receivers = [place for packet in packets for place in range(PLAYERS) for _ in range(packet)]
    return tuple(
        itemgetter(*[at for at, place in enumerate(receivers) if place == own]) for own in range(PLAYERS)
    )


BY_TWOS: Final = _places((2, 2, 2, 2))
BEFORE_DECLARING: Final = _places((3,))
AFTER_DECLARING: Final = _places((2, 2, 1))


def _dealt(deck: Sequence[int], first: int, places: _Places) -> int:
    """Return the hands after dealing from the front of the deck, clockwise from `first`."""
    hands = [sum(map(_BIT.__getitem__, picked(deck))) for picked in places]
    return sum([hand << 32 * ((first + place) % PLAYERS) for place, hand in enumerate(hands)])


def _deal(contract: Contract, first: int, deck: Sequence[int]) -> KingState:
    if not contract.declared:
        return _begun(_dealt(deck, first, BY_TWOS), Terms(contract, first))
    hands, stock = _dealt(deck, first, BEFORE_DECLARING), tuple(deck[3 * PLAYERS :])
    return KingState(first, DECLARATIONS, hands, (first,), (), Terms(contract, first, stock=stock))


# 4. The declaration


def _declare(state: KingState, move: Move) -> KingState:
    terms = state.terms._replace(declared=move, stock=())
    if move == IN_REVERSE:
        terms = terms._replace(trump=MISER)
    elif move == LAST:
        # The last packet is one card to each player, the declarer first.
        eighth = state.terms.stock[-PLAYERS]
        terms = terms._replace(trump=eighth & 3, shown=eighth)
    else:
        terms = terms._replace(trump=DECLARATIONS.index(move))
    return _begun(state.hands + _dealt(state.terms.stock, terms.first, AFTER_DECLARING), terms)


# 5. The play


def _to_lead(hand: int, contract: Contract) -> int:
    """Return the cards of a hand that may be led."""
    return hand & _NO_HEARTS or hand if contract.hearts_last else hand


def _begun(hands: int, terms: Terms) -> KingState:
    """Return the state in which `terms.first` leads the first trick."""
    first = terms.first
    legal = _cards(_to_lead(hands >> 32 * first & _ALL, terms.contract))
    return KingState(first, legal, hands, (first,), (), terms)


# 6. The trick


def _strengths(trump: int, led: int) -> tuple[int, ...]:
    """Return the strength of each card in a trick. The highest takes it; a card that cannot take has 0."""
    ranks = [52 - card if trump == MISER else card for card in range(52)]
    return tuple(
        100 + rank if card & 3 == trump else 1 + rank if card & 3 == led else 0
        for card, rank in enumerate(ranks)
    )


_STRENGTHS: Final = tuple(tuple(_strengths(trump, led) for led in range(4)) for trump in range(MISER + 1))


def _taker(trick: tuple[int, ...], trump: int) -> int:
    """Return the seat that takes this trick of four cards."""
    leader, one, two, three, four = trick
    strength = _STRENGTHS[trump][one & 3]
    best, taker = strength[one], leader
    if strength[two] > best:
        best, taker = strength[two], leader + 1
    if strength[three] > best:
        best, taker = strength[three], leader + 2
    if strength[four] > best:
        taker = leader + 3
    return taker & 3


# 7. The scores


def _takers(state: KingState) -> list[int]:
    """Return the takers of the tricks, in order."""
    return [next_trick[0] for next_trick in (*state.tricks, state.trick)][1:]


def _scores(state: KingState) -> list[int]:
    """Return the points of the tricks taken so far, by seat."""
    scores = [0] * PLAYERS
    for number, (trick, taker) in enumerate(zip(state.tricks, _takers(state), strict=True), 1):
        scores[taker] += points_of(state.terms.contract, number, trick[1:])
    return scores


# 9. The moves as text

_TEXT: Final[dict[Move, str]] = {
    **{card: f"play {CARD_TEXT[card]}" for card in PACK},
    **{move: f"declare {text}" for move, text in _DECLARATION_TEXT.items()},
}
_MOVE: Final = {text: move for move, text in _TEXT.items()}
_SUIT_NAMES: Final = ("clubs", "diamonds", "hearts", "spades")


def _reason(state: KingState, seat: int, move: Move) -> str:
    """Return why a move is not legal now, using only what the seat sees."""
    if state.to_move == NOBODY:
        return "the deal is over"
    if state.to_move != seat:
        return f"it is the turn of seat {state.to_move}"
    if state.terms.stock:
        return "a declaration is due: C, D, H, S, last or miser"
    if move not in _BIT:
        return "no declaration is due: play a card"
    hand = hands_by_seat(state.hands)[seat]
    if move not in hand:
        return f"{CARD_TEXT[move]} is not in your hand"
    if len(state.trick) == 1:
        return "you must not lead a heart in this deal while you hold another suit"
    led = state.trick[1] & 3
    if any(card & 3 == led for card in hand):
        return f"you must follow suit: {_SUIT_NAMES[led]} were led"
    return "you cannot follow suit and hold KH, so you must play it"


# 10. What is seen


class KingObservation(TypedDict):
    """What one seat, or a spectator, sees of a deal of King."""

    seat: Annotated[Seat | None, "The seat that sees this; null for a spectator"]
    to_move: Annotated[Seat | None, "The seat to move; null when the deal is over"]
    question: Annotated[
        Literal["declare", "play"] | None,
        "What is asked: declare (trumps or a miser) or play (a card); null when the deal is over",
    ]
    hand: Annotated[
        list[Card], "Your cards, by rank, then by suit (before the declaration three); empty for a spectator"
    ]
    hand_sizes: Annotated[list[Count], "The number of cards in each hand, by seat"]
    contract: Annotated[
        Literal[
            "no_tricks",
            "no_hearts",
            "no_jacks",
            "no_queens",
            "no_last_two",
            "no_king_of_hearts",
            "negative_yeralash",
            "khvalenka",
            "positive_yeralash",
        ],
        "What scores in this deal: no_tricks, no_hearts, no_jacks, no_queens, no_last_two, no_king_of_hearts, "
        "negative_yeralash, khvalenka or positive_yeralash",
    ]
    declared: Annotated[
        Literal["C", "D", "H", "S", "last", "miser"] | None,
        "The declaration: C, D, H, S, last or miser; null before it and in deals without one",
    ]
    trump: Annotated[Suit | None, "The trump suit, C, D, H or S; null where there is none, or none yet"]
    trump_card: Annotated[Card | None, "The card that `declare last` has shown; null without one"]
    miser: Annotated[bool, "Whether the ranks are reversed, 7 high and ace low"]
    trick: Annotated[list[Play], "The trick that is being played: pairs of seat and card, the leader's first"]
    last_trick: Annotated[list[Play], "The trick before it in the same form; empty in the first"]
    tricks_taken: Annotated[list[Count], "The number of tricks taken in this deal, by seat"]
    taken: Annotated[list[list[Card]], "The cards taken in this deal, by seat, in the order of play"]
    deal_scores: Annotated[list[Points], "The points of this deal so far, by seat"]
    known: Annotated[
        list[list[Card]],
        "By seat, the cards that everybody knows to lie in that hand: the one shown, until played",
    ]


def _texts(cards: Iterable[int]) -> list[str]:
    return [CARD_TEXT[card] for card in cards]


def _pairs(trick: Sequence[int]) -> list[list[int | str]]:
    leader, *cards = trick
    return [[(leader + place) % PLAYERS, CARD_TEXT[card]] for place, card in enumerate(cards)]


def _taken_cards(state: KingState) -> list[list[str]]:
    taken: list[list[str]] = [[] for _ in range(PLAYERS)]
    for trick, taker in zip(state.tricks, _takers(state), strict=True):
        taken[taker] += _texts(trick[1:])
    return taken


def _declaration(terms: Terms) -> dict[str, Any]:
    return {
        "declared": _DECLARATION_TEXT.get(terms.declared),
        "trump": SUITS[terms.trump] if terms.trump < NO_TRUMP else None,
        "trump_card": CARD_TEXT[terms.shown] if terms.shown != NONE else None,
        "miser": terms.trump == MISER,
    }


def _dealt_event(state: KingState) -> Event:
    """Return the event of a packet: all seats see the numbers of cards, and each its own hand."""
    hands = hands_by_seat(state.hands)
    dealt = {
        "type": "dealt",
        "contract": state.terms.contract.name,
        "hand_sizes": [len(hand) for hand in hands],
    }
    return Event(dealt, {seat: {"hand": _texts(hand)} for seat, hand in enumerate(hands)})


def _trick_event(state: KingState) -> Event:
    """Return the event of the trick that has just been taken."""
    cards = state.tricks[-1][1:]
    points = points_of(state.terms.contract, len(state.tricks), cards)
    return Event({"type": "trick_over", "seat": state.trick[0], "cards": _texts(cards), "points": points})


class King(Game):
    """King at one table."""

    id = "king"
    title: ClassVar[Mapping[str, str]] = MappingProxyType({"en": "King", "ru": "Кинг"})
    rules_version = "1"
    observation = KingObservation
    verbs = ("declare", "play")
    words = (*SUITS, "last", "miser")
    hands_bind = True
    zero_sum = True
    safe_move_text = "Declares `last`, or plays the lowest legal card."

    # 1. The table

    seat_counts = (PLAYERS,)
    fixed_deals = len(CONTRACTS)
    option_schemas: ClassVar[Mapping[str, Mapping[str, Any]]] = MappingProxyType({})

    def __init__(self) -> None:
        self.seats = PLAYERS
        self.options = MappingProxyType({})
        self.pack = PACK
        self.most_moves = len(PACK) + 1
        self.sides = tuple(range(PLAYERS))

    @classmethod
    def table(cls, seats: object, options: Options) -> Self:
        checked_seats(cls.seat_counts, seats)
        for name, value in options.items():
            raise BadTable(name, value, "no options: King has none", unknown=True)
        return cls()

    def suit_symmetries(self) -> tuple[Suits, ...]:
        return tuple(suits for suits in ALL_RELABELLINGS if suits[HEART] == HEART)

    # 3. The deal

    def deal(self, number: int, dealer: int, deck: Sequence[int]) -> KingState:
        if not 1 <= number <= len(CONTRACTS):
            raise BadTable("deal", number, f"a number from 1 to {len(CONTRACTS)}")
        check_deck(deck, PACK)
        return _deal(CONTRACTS[number - 1], (dealer + 1) % PLAYERS, deck)

    # 4.-6. The declaration, the play, the trick

    def play(self, state: KingState, seat: int, move: Move) -> KingState:
        to_move, legal, hands, trick, tricks, terms = state
        if seat != to_move or move not in legal:
            raise IllegalMove(_reason(state, seat, move))
        if move > ACE_OF_SPADES:
            return _declare(state, move)
        hands ^= _BIT_AT[seat][move]
        trick += (move,)
        if len(trick) == 5:
            seat = _taker(trick, terms.trump)
            tricks += (trick,)
            trick = (seat,)
            if not hands:
                return KingState(NOBODY, (), hands, trick, tricks, terms)
            hand = _to_lead(hands >> 32 * seat & _ALL, terms.contract)
        else:
            seat, led = seat + 1 & 3, trick[1] & 3
            follow = _CARDS_OF_SUIT[led][hands >> _SUIT_AT[seat][led] & 255]
            if follow:
                return _state((seat, follow, hands, trick, tricks, terms))
            hand = hands >> 32 * seat & _ALL
            if hand & _KING_OF_HEARTS_BIT and terms.contract.king_forced:
                hand = _KING_OF_HEARTS_BIT
        # `_cards(hand)` without the call: playouts spend most of their time on this line.
        legal = (
            _CLUBS[hand & 255] + _DIAMONDS[hand >> 8 & 255] + _HEARTS[hand >> 16 & 255] + _SPADES[hand >> 24]
        )
        return _state((seat, legal, hands, trick, tricks, terms))

    # 7. The scores

    def returns(self, state: KingState) -> tuple[int, ...]:
        return tuple(_scores(state))

    def deal_points(self, number: int) -> tuple[int, int]:
        all_there_is = points_of_all(CONTRACTS[number - 1])
        return min(0, all_there_is), max(0, all_there_is)

    def cut_short(self, state: KingState, forfeited: Sequence[int]) -> tuple[int, ...]:
        """Return the points of the tricks taken so far, for forfeited seats too (section 7)."""
        return tuple(_scores(state))

    # 8. The next deal

    def next_dealer(self, state: KingState) -> int:
        return state.terms.first

    # 9. The moves as text

    def safe_move(self, state: KingState) -> Move:
        return LAST if state.terms.stock else min(state.legal)

    def text(self, state: KingState, move: Move) -> str:
        return _TEXT[move]

    def refusal(self, state: KingState, seat: int, text: str) -> Refusal:
        if text not in _MOVE:
            return NotAMove(
                "a move is `play` and a card from 7C to AS, as in `play TH`, "
                "or `declare` and C, D, H, S, last or miser, as in `declare miser`"
            )
        return IllegalMove(_reason(state, seat, _MOVE[text]))

    # 10. What is seen

    def observe(self, state: KingState, seat: int | None) -> dict[str, Any]:
        terms = state.terms
        hands, taken = hands_by_seat(state.hands), _taken_cards(state)
        over = state.to_move == NOBODY
        seen: KingObservation = {
            "seat": seat,
            "to_move": None if over else state.to_move,
            "question": None if over else "declare" if state.terms.stock else "play",
            "hand": [] if seat is None else _texts(hands[seat]),
            "hand_sizes": [len(hand) for hand in hands],
            "contract": terms.contract.name,
            **_declaration(terms),  # type: ignore[typeddict-item]
            "trick": _pairs(state.trick),
            "last_trick": _pairs(state.tricks[-1]) if state.tricks else [],
            "tricks_taken": [len(cards) // PLAYERS for cards in taken],
            "taken": taken,
            "deal_scores": _scores(state),
            "known": [_texts(card for card in hand if card == terms.shown) for hand in hands],
        }
        return dict(seen)

    def deal_events(self, state: KingState) -> list[Event]:
        return [_dealt_event(state)]

    def events(self, before: KingState, seat: int, move: Move, after: KingState) -> list[Event]:
        if before.terms.stock:
            declared = Event({"type": "declared", "seat": seat, **_declaration(after.terms)})
            return [_dealt_event(after), declared]
        return [_trick_event(after)] if len(after.tricks) > len(before.tricks) else []
