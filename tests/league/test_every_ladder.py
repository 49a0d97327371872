"""Ladders with default settings, played to the end: every pair of a table, a format and a deck mode of every game.

The cases follow from the registries: a new game, option of teams, format or deck mode is tested without a change here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, Final, NamedTuple

import pytest

from engine.game import BadTable
from engine.registry import GAMES
from league.errors import BadValue, NothingToPlay
from league.ladders.model import Ladder, LadderState, RoundState
from league.ladders.settings import LadderSettings
from league.pairing.formats import FORMATS
from league.pairing.plan import DeckMode
from redisio.connection import Redis
from tests.support.league import LeagueWorld
from tests.support.sums import kept, of_records

ENDING: Final = frozenset({"swiss", "knock_out", "versus"})
"""The formats that end by themselves."""
MOST_ROUNDS: Final = 40
ENOUGH: Final = 4
"""A format without an end is played until this many matches have ended."""
PARAMETERS: Final[Mapping[str, Mapping[str, int]]] = {
    "swiss": {"rounds": 2},
    "versus": {"batch": 1, "most": 2},
}
"""The only settings that differ from the defaults: by default a versus ends after 10 000 groups."""
SMALL: Final = 4
"""At tables with at most this many seats one bot too many enters, so that one sits out."""


class Case(NamedTuple):
    """A kind of ladder."""

    game: str
    seats: int
    options: Mapping[str, Any]
    format: str
    decks: DeckMode

    def __str__(self) -> str:
        options = "".join(f"-{name}={value}" for name, value in self.options.items())
        return f"{self.game}-{self.seats}{options}-{self.format}-{self.decks}"

    @property
    def has_teams(self) -> bool:
        """Return whether some seats are partners."""
        return len(set(GAMES[self.game].table(self.seats, dict(self.options)).sides)) < self.seats

    @property
    def refusal(self) -> str | None:
        """Return why the ladder is refused at creation, or `None` if it is accepted and must be playable."""
        if self.decks is DeckMode.ONCE_ONLY and self.format != "round_robin":
            return "every bot plays the house"
        if self.format == "knock_out" and self.has_teams:
            return "this table has teams"
        return None

    @property
    def entries(self) -> int:
        """Return how many bots enter. Few, so that rounds are short: with once-only decks house bots fill the table."""
        if self.seats <= SMALL:
            return self.seats + (self.format != "versus")
        return 2 if self.decks is DeckMode.ONCE_ONLY else self.seats

    @property
    def pairs(self) -> set[object]:
        """Return each pair of properties of this ladder."""
        return set(
            combinations(enumerate((self.game, self.seats, str(self.options), self.format, self.decks)), 2)
        )

    def create(self, league: LeagueWorld) -> Ladder:
        """Return the ladder with its entries. By default rated ladders have rotated decks, others independent ones."""
        ladder = league.ladders.create(
            "owner",
            LadderSettings(
                "Any",
                self.game,
                self.seats,
                self.options,
                format=self.format,
                parameters=PARAMETERS.get(self.format, {}),
                rated=self.decks is not DeckMode.INDEPENDENT,
                decks=None if self.decks in (DeckMode.INDEPENDENT, DeckMode.ROTATED) else self.decks,
            ),
        )
        assert ladder.decks is self.decks
        for number in range(1, self.entries + 1):
            league.ladders.enter(ladder.id, league.accounts.bot("house", f"a{number}"))
        return ladder


def tables() -> Iterator[tuple[str, int, Mapping[str, Any]]]:
    """Return every game at every number of seats, with default options and with each option that makes teams."""
    for name, game in GAMES.items():
        for seats in game.seat_counts:
            yield name, seats, {}
            for option, schema in game.option_schemas.items():
                values = schema.get("enum", [True, False] if schema.get("type") == "boolean" else [])
                for value in values:
                    try:
                        table = game.table(seats, {option: value})
                    except BadTable:
                        continue
                    if table.sides != game.table(seats, {}).sides:
                        yield name, seats, {option: value}


def pairs_of(cases: Sequence[Case]) -> set[object]:
    return set[object]().union(*(case.pairs for case in cases))


def pairwise(cases: Sequence[Case]) -> list[Case]:
    """Return few of these cases, which have every pair of properties that occurs in all of them."""
    missing, chosen = pairs_of(cases), list[Case]()
    while missing:
        chosen.append(max(cases, key=lambda case: len(case.pairs & missing)))
        missing -= chosen[-1].pairs
    return chosen


CASES: Final = [
    Case(*table, format_, decks) for table in tables() for format_ in FORMATS for decks in DeckMode
]
ACCEPTED: Final = [case for case in CASES if case.refusal is None]
PLAYED: Final = pairwise(ACCEPTED)
REFUSED: Final = pairwise([case for case in CASES if case.refusal is not None])


@pytest.fixture
def redis(plain_redis: Redis) -> Redis:
    """Return a plain Redis: the kind of server doesn't matter here."""
    return plain_redis


@pytest.fixture
def league(redis: Redis) -> LeagueWorld:
    most = max(case.seats for case in CASES) + 1
    return LeagueWorld(redis, None, house=[f"a{number}" for number in range(1, most + 1)])


def play(league: LeagueWorld, ladder: Ladder) -> bool:
    """Play rounds until the format ends or enough was played. Return whether it ended."""
    matches = 0
    for number in range(1, MOST_ROUNDS + 1):
        try:
            started = league.rounds.start(ladder.id)
        except NothingToPlay:
            assert number > 1
            return True
        league.finish(ladder.id, number)
        league.run()
        done = league.ladders.round(ladder.id, number)
        assert done.state is RoundState.DONE
        assert done.played == done.planned == started.planned > 0
        matches += done.played
        if matches >= ENOUGH and ladder.format not in ENDING:
            break
    return False


def test_the_played_ladders_include_teams_and_every_pair_of_properties_of_a_ladder() -> None:
    assert any(case.has_teams for case in PLAYED)
    assert pairs_of(PLAYED) == pairs_of(ACCEPTED)
    for game in GAMES:
        played = [case for case in PLAYED if case.game == game]
        assert {case.format for case in played} == set(FORMATS)
        assert {case.decks for case in played} == set(DeckMode)


@pytest.mark.parametrize("case", PLAYED, ids=str)
def test_an_accepted_ladder_plays_to_its_end_and_its_standings_match_its_records(
    league: LeagueWorld, case: Case
) -> None:
    ladder = case.create(league)
    over = play(league, ladder)
    assert over or case.format not in ENDING
    records = [league.referee.record(loaded).to_json() for loaded in league.matches()]
    assert records
    assert {record["deals"] for record in records} == {GAMES[case.game].fixed_deals or 1} == {ladder.deals}
    found, expected = kept(league, ladder.id), of_records(records)
    assert found.standings == expected.standings
    if case.entries >= case.seats:
        # A house bot with two seats of a table counts once in a cell of the cross table, for one of its seats.
        assert found.cross == expected.cross
    assert league.ladders.change(ladder.id, state="closing").state is LadderState.CLOSED


@pytest.mark.parametrize("case", REFUSED, ids=str)
def test_an_unplayable_kind_of_ladder_is_refused_at_creation(league: LeagueWorld, case: Case) -> None:
    assert case.refusal is not None
    with pytest.raises(BadValue, match=case.refusal) as refusal:
        case.create(league)
    assert refusal.value.field == "format"
