"""Casual matches of people against house bots and with each other.

A person has a seat like a bot's, but no bot: nobody else can seat it, it has no token, and it is in no list of bots.
The seat is marked in the match and in its record (`Seat.person`). Matches with such a seat are never rated, belong to
no ladder and no group, and count in no statistics.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from engine.game import BadTable
from engine.match import checked_deals
from league.accounts.eligibility import Eligibility
from league.accounts.model import HOUSE, PERSON, Bot, MatchPolicy
from league.accounts.service import Accounts
from records.ids import new_match_id
from records.match.clock import ClockRule
from records.match.loaded_match import LoadedMatch
from records.match.new_match import NewMatch, game_named
from records.match.session import GUEST, Seat
from referee.errors import NoSuchMatch, NotYourMatch
from referee.referee import Referee

CLOCK: Final = ClockRule(move_ms=86_400_000, bank_ms=0, increment_ms=0, grace_ms=5_000, strikes=1)
"""A day for each move. Then the person forfeits, so that a match that somebody left ends."""
GUEST_CLOCK: Final = CLOCK._replace(move_ms=1_800_000)
"""A guest, who may never come back, has half an hour."""
MOST_MATCHES: Final = 16
"""How many matches an owner may play at a time."""
MOST_GUEST_MATCHES: Final = 3
"""How many matches a guest may play at a time."""
GUEST_THINKER: Final = "search-100ms"
"""The house bot that thinks, a tenth of a second a move, against which guests may play too."""
MOST_GUEST_REPEATED: Final = 1_000
"""After how many moves a guest may continue a match. The new match stores them: about 22 bytes each."""


def person_of(owner: str, name: str) -> Bot:
    return _person(f"person-{owner}", owner, name, MOST_MATCHES)


def guest_of(key: str) -> Bot:
    return _person(f"guest-{key}", GUEST, GUEST, MOST_GUEST_MATCHES)


def _person(ident: str, owner: str, owner_name: str, most: int) -> Bot:
    return Bot(ident, owner, owner_name, PERSON, "", "", 0, MatchPolicy(max_matches=most))


class People:
    """Seats people. Safe to share between greenlets and threads."""

    def __init__(self, referee: Referee, accounts: Accounts, eligibility: Eligibility) -> None:
        self._referee, self._accounts, self._eligibility = referee, accounts, eligibility

    def levels(self, person: Bot) -> list[Bot]:
        """Return the house bots that a person may play against. A guest gets those that answer at once and
        `GUEST_THINKER`, because the others cost a second of a worker for each move."""
        house = self._accounts.bots(HOUSE, None, 100).bots
        quick = {*self._referee.players, GUEST_THINKER}
        return [bot for bot in house if person.owner != GUEST or bot.name in quick]

    def start(
        self,
        person: Bot,
        game: str,
        opponents: Sequence[str],
        *,
        options: Mapping[str, Any],
        deals: int | None = None,
    ) -> LoadedMatch:
        """Create a match of a person, in seat 0, against these house bots.

        Raise `BadTable`, or `BotUnavailable` if the person plays too many matches.
        """
        return self.together(
            [person, *opponents],
            game=game,
            options=options,
            deals=checked_deals(game_named(game), deals),
            clock=_clock(person),
        )

    def again(self, person: Bot, loaded: LoadedMatch) -> LoadedMatch:
        """Create the match of a person once more: the same game, options, deals and bots, each a seat further on.

        Raise `NotYourMatch` if the person has no seat in it, `BadTable` if a bot is no longer there, and
        `BotUnavailable` like `start`.
        """
        config = loaded.config
        if config.seat_of(person.id) is None:
            raise NotYourMatch("you have no seat in this match")
        *others, last = [seat for seat in config.seats if seat is not None]
        sitting = [person if seat.person else seat.name for seat in (last, *others)]
        return self.together(
            sitting,
            game=config.game,
            options=config.options,
            deals=config.deals,
            clock=_clock(person),
        )

    def play_on(
        self, person: Bot, loaded: LoadedMatch, deal: int, move: int, *, seat: int, opponents: Sequence[str]
    ) -> LoadedMatch:
        """Create a match of a person against house bots that begins at a position of a finished match.

        `opponents` are by seat, without the person's. Raise `BadTable` for a position that the match does not have or
        that is too late for a guest, `RecordNotReady` or `GroupRunning` if its record may not be read, and
        `BotUnavailable` like `start`.
        """
        place, config = self._referee.position(loaded, deal, move), loaded.config
        if person.owner == GUEST and len(place.repeated) > MOST_GUEST_REPEATED:
            raise BadTable(
                "move",
                move,
                f"a position after at most {MOST_GUEST_REPEATED} moves; owners can continue later ones",
            )
        if not 0 <= seat < len(config.seats):
            raise BadTable("seat", seat, f"a seat, 0 to {len(config.seats) - 1}")
        others = self.seats(person, opponents)
        new = NewMatch(
            game=config.game,
            seats=[*others[:seat], _seat(person), *others[seat:]],
            options=config.options,
            deals=place.deals,
            dealer=loaded.progress.first_dealer,
            clock=_clock(person),
            continues=place.continues,
            repeated=place.repeated,
        )
        return self._create([person], new)

    def together(
        self,
        sitting: Sequence[Bot | str],
        *,
        game: str,
        options: Mapping[str, Any],
        deals: int,
        clock: ClockRule,
        match: str | None = None,
    ) -> LoadedMatch:
        """Create a match of these people, and of house bots in the seats that have a name. One with an id is created at
        most once.

        Raise `BadTable` for a bot that none of the people may choose, and `BotUnavailable` like `start`.
        """
        if match is not None:
            with suppress(NoSuchMatch):
                return self._referee.look(match)
        people = [each for each in sitting if isinstance(each, Bot)]
        chooser = max(people, key=lambda person: person.owner != GUEST)
        bots = iter(self.seats(chooser, [each for each in sitting if isinstance(each, str)]))
        seats = [_seat(each) if isinstance(each, Bot) else next(bots) for each in sitting]
        new = NewMatch(game, seats, options, deals, clock=clock, id=match, present=True)
        return self._create(people, new)

    def _create(self, people: Sequence[Bot], new: NewMatch) -> LoadedMatch:
        match = new.id or new_match_id()
        with self._eligibility.reserved(match, people):
            (loaded,) = self._referee.create_all([new._replace(id=match, since=self._referee.recorded())])
        return loaded

    def seats(self, person: Bot, opponents: Sequence[str]) -> list[Seat]:
        """Return the seats of house bots with these names. Raise `BadTable` for one that the person may not choose."""
        levels = {bot.name: bot for bot in self.levels(person)}
        for name in opponents:
            if name not in levels:
                raise BadTable("opponents", name, "one of " + ", ".join(levels))
        return [levels[name].seat for name in opponents]


def _clock(person: Bot) -> ClockRule:
    return GUEST_CLOCK if person.owner == GUEST else CLOCK


def _seat(person: Bot) -> Seat:
    return person.seat._replace(person=True)
