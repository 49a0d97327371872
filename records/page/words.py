"""What a card table says in each language: words for the page and for `static/table.js`, and events as sentences."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from records.match.session import GUEST

if TYPE_CHECKING:
    from records.page.language import Language

END: Final = "end"
"""What stands for the move in the address of the end of a match, which is a step without a move."""
GLYPHS: Final = MappingProxyType({"C": "♣", "D": "♦", "H": "♥", "S": "♠"})
_CARD: Final = re.compile(r"[2-9TJQKA][CDHS]")
_PLACE: Final = re.compile(r"\{(\w+)\}")
_SEATS: Final = frozenset({"seat", "attacker", "defender", "giver", "receiver", "dealer"})
"""Fields of events that are the number of a seat."""
_ACTING: Final = ("seat", "attacker", "giver", "dealer")
"""Fields of events that are the seat which does something."""
_CONCERNED: Final = ("defender", "receiver")
"""Fields of events that are the seat to which something is done."""
_BY_SEAT: Final = frozenset({"returns", "scores"})
"""Fields of events that are a number of points for each seat."""

INDICES: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType(
    {"en": {"T": "10"}, "ru": {"T": "10", "J": "В", "Q": "Д", "K": "К", "A": "Т"}}
)
"""By language, what the corner of a card says instead of the letter of its rank."""

WORDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        # Cards
        "card": "{rank} {suit}",
        "card back": "face-down card",
        "suit C": "clubs",
        "suit D": "diamonds",
        "suit H": "hearts",
        "suit S": "spades",
        "of C": "of clubs",
        "of D": "of diamonds",
        "of H": "of hearts",
        "of S": "of spades",
        "rank T": "10",
        "rank J": "jack",
        "rank Q": "queen",
        "rank K": "king",
        "rank A": "ace",
        **{f"rank {rank}": rank for rank in "23456789"},
        # The table
        "seat": "seat {number}",
        "attacker": "attacker",
        "defender": "defender",
        "dealer": "dealer",
        "out": "out",
        "taking": "takes",
        "bank": "time left for the move and in the bank",
        "events": "What happened lately",
        "contract is": "Contract: {contract}",
        "strikes": "strikes: {n}",
        "own trump": "own trump",
        "tricks": "tricks: {n}",
        "points": "points: {n}",
        "score": "score of the match",
        "hidden cards": "face-down cards: {n}",
        "no cards": "no cards",
        "hand of": "Hand of {name}: {cards}",
        "to move": "to move",
        "talon": "talon: {n}",
        "trump": "trump",
        "anti-trump": "anti-trump",
        "bout": "bout",
        "pile": "pile: {n}",
        "pickup": "to pick up: {n}",
        "trick": "trick",
        "last trick": "last trick",
        "discard": "discarded: {n}",
        "declared": "declared:",
        "miser": "miser",
        "yes": "yes",
        "no": "no",
        # Controls
        "controls": "Playback",
        "position": "Position in the match",
        "place": "deal {deal}, move {move}",
        "place end": "deal {deal}, end of the match",
        "moves": "Moves",
        "moves of deal": "Moves of deal {n} of {of}",
        "deal": "Deal",
        "deal n": "Deal {n} of {of}",
        "speed": "Speed",
        "real time": "real time",
        "per second": "moves a second: {n}",
        "view": "View",
        "all hands": "all hands",
        "spectator": "as a spectator",
        "view of": "seen by {name}",
        "live": "live",
        "loading": "{n} steps read",
        "over": "The match is over: show all hands",
        "unreachable": "The service cannot be reached; trying again",
        "session over": "Your session is over: sign in again",
        "gone": "The service no longer has this match: go to the other matches",
        "seat lost": "This browser no longer has your seat: load the page again",
        "not started": "The match has not started.",
        "seconds": "{n} s",
        "charged": "charged to the bank",
        "mistake": "Mistake",
        "thoughts": "What the bot thought",
        "regret": "regret {mean} ({low} to {high})",
        "graph": "Expected lead in points, with 95 % intervals:",
        "graph told": "{name}: lowest {low} at {low_place}, highest {high} at {high_place}, in the end {last}.",
        "better": "better: {move}",
        "reviewing": "review: {done} of {total} decisions",
        "close": "Close",
        "do next": "next move",
        "do back": "previous move",
        "do play": "play",
        "do pause": "pause",
        "do first": "beginning",
        "do last": "end",
        "do deal next": "next deal",
        "do deal back": "this deal from its start, or the one before",
        "do mark next": "next bout or trick",
        "do mark back": "previous bout or trick",
        "do timeout next": "next timeout",
        "do timeout back": "previous timeout",
        "do note next": "next note",
        "do mistake next": "next mistake",
        "do mistake back": "previous mistake",
        "do faster": "faster",
        "do slower": "slower",
        "do card next": "pick the next card",
        "do card back": "pick the card before",
        "do card jump": "where the picked card came from, then where it goes",
        "do card drop": "pick no card",
        "picked": "{card}: here since {place}",
        "do view next": "next seat's view",
        "do four colours": "four colours",
        "do apart": "first difference",
        "do hint": "a hint for your move",
        "do help": "keys",
        # Moves
        "move attack": "attacks",
        "move beat": "beats",
        # In Durak the beaten card comes first, in the pile games the card that beats it, and then the next lead.
        "move durak beat 2": "beats {0} with {1}",
        "move kryt beat 1": "beats with {0}",
        "move kryt beat 2": "beats with {0}, leads {1}",
        "move svoi_kozyri beat 1": "beats with {0}",
        "move svoi_kozyri beat 2": "beats with {0}, leads {1}",
        "move exchange": "exchanges the lowest trump",
        "move pass": "passes",
        "move take": "takes",
        "move throw": "throws in",
        "move transfer": "transfers with",
        "move lead": "leads",
        "move pickup": "picks up",
        "move play": "plays",
        "move declare": "declares",
        "by timeout": "timeout",
        "by forfeit": "seat forfeited",
        "by continued": "from the earlier match",
        # The reader's own moves, each after the word "you"
        "you": "You",
        "you move attack": "attack",
        "you move beat": "beat",
        "you move durak beat 2": "beat {0} with {1}",
        "you move kryt beat 1": "beat with {0}",
        "you move kryt beat 2": "beat with {0}, lead {1}",
        "you move svoi_kozyri beat 1": "beat with {0}",
        "you move svoi_kozyri beat 2": "beat with {0}, lead {1}",
        "you move exchange": "exchange the lowest trump",
        "you move pass": "pass",
        "you move take": "take",
        "you move throw": "throw in",
        "you move transfer": "transfer with",
        "you move lead": "lead",
        "you move pickup": "pick up",
        "you move play": "play the",
        "you move declare": "declare",
        # People
        "person": "{name} (person)",
        "guest": "guest",
        "your move": "Your move: {question}",
        "waiting for": "Waiting for {name}",
        "match over": "The match is over",
        "your cards": "Your cards",
        "legal moves": "Legal moves",
        "free moves": "Also possible",
        "deselect": "Show all moves",
        "not sent": "The move could not be sent. Try again.",
        "hint": "Hint",
        "hint failed": "The hint can't be asked for now. Try again.",
        "next card": "Now choose the next card",
        "about to": "You {move}",
        "take back": "Take back",
        "confirm": "Confirm",
        "sending": "Before a move is sent",
        "sending second": "a second to take it back",
        "sending ask": "ask me",
        "sending now": "send at once",
        "pace": "Pace",
        "pace 0": "show moves at once",
        "pace n": "{n} s a move",
        "sounds": "Sounds",
        # Why a card can't be played
        "why turn": "it is the move of {name}",
        "why over": "the match is over",
        "why other": "it can't be played now",
        "why throw": "no card of this rank is in the bout",
        "why defend": "it beats no open card",
        "why beat": "it doesn't beat {card}",
        "why follow": "you have to follow suit: {suit}",
        "why hearts": "hearts are led only from a hand of hearts alone",
        "why king": "you have to play the king of hearts",
        "since": "What happened",
        # Results
        "result aborted": "The match was aborted and has no result",
        "result void": "The match is void and does not count",
        "result draw": "A draw",
        "result no fool": "A draw: nobody is the fool",
        "result wins": "{names} wins",
        "result wins many": "{names} win",
        "result shared": "{names} share first place",
        "result you win": "you win",
        "result fool": "{names} is the fool",
        "result fool many": "{names} are the fools",
        "result you fool": "you are the fool",
        "result forfeited": "{names} forfeited the seat",
        "result forfeited many": "{names} forfeited their seats",
        "result you forfeited": "you forfeited your seat",
        "result and": "{first} and {last}",
        "result": "Result",
        "result place": "Place",
        "result seat": "Player",
        "result points": "Points",
        "result deals": "Points by deal",
        "result sum": "Sum",
        # What is asked, and other values
        "value attack": "to attack",
        "value throw": "to throw in",
        "value defend": "to defend",
        "value give": "to throw in",
        "value exchange": "to exchange or pass",
        "value declare": "to declare",
        "value play": "to play",
        "value lead": "to lead",
        "value beat": "to beat",
        "value free_lead": "to lead freely",
        "value no_tricks": "No tricks",
        "value no_hearts": "No hearts",
        "value no_jacks": "No jacks",
        "value no_queens": "No queens",
        "value no_last_two": "No last two",
        "value no_king_of_hearts": "No king of hearts",
        "value negative_yeralash": "Negative yeralash",
        "value khvalenka": "Khvalenka",
        "value positive_yeralash": "Positive yeralash",
        "value last": "last card",
        "value miser": "miser",
        "value rules": "played to the end",
        "value forfeit": "forfeit",
        "value resigned": "resignation",
        "value aborted": "aborted",
        "value void": "void",
        # Members of an observation, for the page without scripts
        "field trump": "trump",
        "field trumps": "trumps by seat",
        "field trump_card": "upturned card",
        "field talon": "talon",
        "field stock": "stock",
        "field pairs": "bout",
        "field pile": "cards in the pile",
        "field top": "top card",
        "field pickup": "to pick up",
        "field trick": "trick",
        "field last_trick": "last trick",
        "field tricks_taken": "tricks by seat",
        "field deal_scores": "points of this deal",
        "field contract": "contract",
        "field declared": "declared",
        "field attacker": "attacker",
        "field defender": "defender",
        "field discard": "discarded",
        # Events
        "event started": "The match begins",
        "event deal": "Deal {deal}, dealt by {dealer}",
        "event shown": "{seat} shows {card}",
        "event bout": "{attacker} attacks {defender}",
        "event taken": "{seat} takes {cards}",
        "event out": "{seat} is out",
        "event beaten_off": "Beaten off: {count}",
        "event transferred": "{attacker} attacks {defender}",
        "event drawn": "{seat} draws {count}",
        "event exchanged": "{seat} exchanges {given} for {received}",
        "event given": "{giver} gives {receiver} {card}",
        "event trick_over": "{seat} takes the trick",
        "event deal_over": "Deal {deal} is over: {returns}",
        "event match_over": "The match is over ({ending}): {scores}",
        "event forfeited": "{seat} forfeits the seat ({reason})",
        # The same events, if they happen to the reader
        "event deal you": "Deal {deal}, dealt by you",
        "event shown you": "You show {card}",
        "event bout you": "You attack {defender}",
        "event bout to you": "{attacker} attacks you",
        "event taken you": "You take {cards}",
        "event out you": "You are out",
        "event transferred you": "You attack {defender}",
        "event transferred to you": "{attacker} attacks you",
        "event drawn you": "You draw {count}",
        "event exchanged you": "You exchange {given} for {received}",
        "event given you": "You give {card} to {receiver}",
        "event given to you": "{giver} gives you {card}",
        "event trick_over you": "You take the trick",
        "event forfeited you": "You forfeit the seat ({reason})",
    }
)
"""The words by key, in English; the catalogues translate them."""


class TableText:
    """Cards, moves and events as text in one language, with the names of the seats."""

    def __init__(
        self,
        language: Language,
        seats: Sequence[str],
        people: Collection[int] = (),
        *,
        game: str | None = None,
        you: int | None = None,
    ) -> None:
        """`seats` are the names of the bots, `people` the numbers of the seats on which people play. A guest whose name
        is known is `anonymous/<name>`.

        `game` is the id of the game that the moves belong to, if they belong to one. `you` is the reader's seat.
        """
        self.language, self.game, self.you = language, game, you
        translated = language.messages.gettext
        self.words = {key: translated(text) for key, text in WORDS.items()}
        shown = [self._person(name) if seat in people else name for seat, name in enumerate(seats)]
        self.seats = [
            self.words["you"] if seat == you else f"{name} ({seat})" if shown.count(name) > 1 else name
            for seat, name in enumerate(shown)
        ]
        self.house = [name.startswith("house/") for name in seats]
        self.indices = INDICES[language.code]

    def get(self, key: str, **values: object) -> str:
        """Return the word with this key, with its places filled."""
        return _PLACE.sub(lambda place: str(values[place[1]]), self.words[key])

    def seat(self, number: int) -> str:
        """Return the name at a seat."""
        return self.seats[number]

    def place(self, deal: int, move: int | str) -> str:
        """Return a place in the match as text; its move may be `END`."""
        return self.get("place end" if move == END else "place", deal=deal, move=move)

    def card(self, card: str) -> str:
        """Return a card as its index and suit."""
        return self.indices.get(card[0], card[0]) + GLYPHS[card[1]]

    def value(self, value: object) -> str:
        """Return a value of an event or an observation as text."""
        if isinstance(value, list):
            return " ".join(map(self.value, value))
        if value is None:
            return "–"
        if isinstance(value, bool):
            return self.words["yes" if value else "no"]
        if isinstance(value, int) and value < 0:
            return f"−{-value}"
        text = str(value)
        if _CARD.fullmatch(text):
            return self.card(text)
        return GLYPHS.get(text) or self.words.get(f"value {text}", text)

    def move(self, text: str, seat: int | None = None) -> str:
        """Return a move as text: what somebody does, or what the reader does if it is the move of their seat."""
        person = "you " if seat is not None and seat == self.you else ""
        verb, *rest = text.split(" ")
        values = list(map(self.value, rest))
        template = self.words.get(f"{person}move {self.game} {verb} {len(rest)}")
        if template is not None:
            return _PLACE.sub(lambda place: values[int(place[1])], template)
        return " ".join([self.words.get(f"{person}move {verb}", verb), *values])

    def event(self, event: Mapping[str, Any]) -> str:
        """Return an event as a sentence, or "" for one that says nothing by itself."""
        if event["type"] == "move":
            by = f" ({self.words['by ' + event['by']]})" if "by" in event else ""
            seat = event["seat"]
            colon = "" if seat == self.you else ":"
            return f"{self.seat(seat)}{colon} {self.move(event['move'], seat)}{by}"
        key = f"event {event['type']}"
        template = self.words.get(key + self._person_of(event)) or self.words.get(key, "")
        return _PLACE.sub(lambda place: self._field(event, place[1]), template)

    def _person_of(self, event: Mapping[str, Any]) -> str:
        """Return what the key of an event about the reader ends with."""
        if self.you is None:
            return ""
        if any(event.get(name) == self.you for name in _ACTING):
            return " you"
        return " to you" if any(event.get(name) == self.you for name in _CONCERNED) else ""

    def _person(self, seat: str) -> str:
        owner, _, name = seat.partition("/")
        if owner != GUEST:
            return self.get("person", name=owner)
        return self.words["guest"] if name == "person" else name

    def _field(self, event: Mapping[str, Any], name: str) -> str:
        if name in _SEATS and event.get(name) is not None:
            return self.seat(event[name])
        if name in _BY_SEAT:
            return ", ".join(
                f"{self.seat(seat)} {self.value(points)}" for seat, points in enumerate(event[name])
            )
        return self.value(event.get(name))

    def to_json(self) -> dict[str, Any]:
        """Return what `static/table.js` needs to say the same. `house` are the seats whose clock is not shown."""
        return {
            "language": self.language.code,
            "game": self.game,
            "ranks": dict(self.indices),
            "seats": self.seats,
            "house": self.house,
            "you": self.you,
            "words": self.words,
        }
