"""Matches of people against house bots, and that they count nowhere."""

from __future__ import annotations

import json
from typing import Any

import pytest
from click.testing import CliRunner

from engine.game import BadTable
from kozyr.cli.main import main
from league import people as people_module
from league.errors import BotUnavailable, NameTaken, NoSuchBot
from league.fitness.statistics import statistics_of
from league.people import CLOCK, GUEST_THINKER, MOST_GUEST_MATCHES, People, guest_of, person_of
from records.match.loaded_match import LoadedMatch
from records.match.move_requests import MoveRequest
from records.match.session import match_of
from records.results.group_result import group_result_of, played_among, played_of, played_of_record
from records.verify import verify
from redisio.connection import Redis
from tests.support.league import AtRandom, LeagueWorld

ANNA = person_of("o1", "anna")


@pytest.fixture
def redis(plain_redis: Redis) -> Redis:
    """Return a plain Redis: the kind of server doesn't matter here."""
    return plain_redis


@pytest.fixture
def people(league: LeagueWorld) -> People:
    return People(league.referee, league.accounts, league.eligibility)


def play(league: LeagueWorld, loaded: LoadedMatch, person: str = ANNA.id) -> LoadedMatch:
    """Play a person's match to its end with the first legal move."""
    seat = loaded.config.seat_of(person)
    assert seat is not None
    rules = match_of(loaded.config, loaded.progress.first_dealer or 0)
    while not loaded.finished:
        while league.referee.go_on(loaded.id, 1.0):
            pass
        loaded = league.referee.look(loaded.id)
        if loaded.asks(seat):
            assert loaded.state is not None
            move = rules.legal_texts(loaded.state, seat)[0]
            league.referee.moves.move(person, MoveRequest(loaded.id, move, loaded.progress.turn))
            loaded = league.referee.look(loaded.id)
    league.run()
    return league.referee.look(loaded.id)


def rated(record: dict[str, Any]) -> dict[str, Any]:
    """Return a record that says that it is rated, as a forged one might."""
    return {**record, "rated": True}


def records_of(league: LeagueWorld, people: People) -> list[dict[str, Any]]:
    """Return the record of a person's match, and of one that goes on from it."""
    first = play(league, people.start(ANNA, "durak", ["a1"], options={}))
    second = play(league, people.play_on(ANNA, first, 1, 2, seat=1, opponents=["a1"]))
    return [league.referee.record(loaded).to_json() for loaded in (first, second)]


def test_a_guest_has_half_an_hour_for_each_move(league: LeagueWorld, people: People) -> None:
    guest = guest_of("abc")
    first = people.start(guest, "durak", ["a1"], options={})
    assert first.config.clock.move_ms == 30 * 60_000
    again = people.play_on(guest, play(league, first, guest.id), 1, 2, seat=1, opponents=["a1"])
    assert again.config.clock == first.config.clock


def test_a_person_plays_with_a_day_for_each_move(league: LeagueWorld, people: People) -> None:
    loaded = people.start(ANNA, "durak", ["a1", "a2"], options={}, deals=2)
    assert loaded.config.clock == CLOCK
    assert [seat and seat.bot for seat in loaded.config.seats] == ["anna/person", "house/a1", "house/a2"]
    assert [seat and seat.person for seat in loaded.config.seats] == [True, False, False]
    done = play(league, loaded)
    assert verify(league.referee.record(done).to_json()) == []


def test_no_count_of_results_includes_a_person(league: LeagueWorld, people: People) -> None:
    for record in records_of(league, people):
        assert played_of_record(record) is None
        assert played_of_record(rated(record)) is None
        loaded = league.referee.look(record["id"])
        assert played_of(loaded) is None
        assert group_result_of(played_among([loaded])) is None
        assert statistics_of(loaded) == []
        forged = loaded._replace(config=loaded.config._replace(rated=True))
        league.ratings.on_readable([[forged]])
        league.reporter.on_readable([[loaded]])
    assert league.ratings.presets() == []
    assert league.statistics.of(ANNA.id, 2).figures.sums == {}
    assert league.ladders.fitness.of([ANNA.id])[ANNA.id].suspended is None


@pytest.mark.parametrize("words", [("rate", "--json"), ("rate", "--json", "--casual")])
def test_recomputed_ratings_omit_people(league: LeagueWorld, people: People, words: tuple[str, ...]) -> None:
    records = records_of(league, people)
    text = "".join(json.dumps(rated(record)) + "\n" for record in records)
    output = json.loads(CliRunner().invoke(main, [*words, "--from", "-"], input=text).stdout)
    assert (output["records"], output["counted"], output["presets"]) == (2, 0, [])
    assert output["skipped"] == {"continued": 1, "person": 1}


def test_a_forged_rated_record_does_not_verify(league: LeagueWorld, people: People) -> None:
    for record in records_of(league, people):
        assert [finding.where for finding in verify(rated(record))] == ["rated"]


def test_a_person_is_no_bot(league: LeagueWorld, people: People) -> None:
    owner, _ = league.bot("anna", "fool")
    people.start(person_of(owner.id, "anna"), "durak", ["a1"], options={})
    with pytest.raises(NoSuchBot):
        league.accounts.bot("anna", "person")
    with pytest.raises(NameTaken):
        league.accounts.create_bot(owner.id, "person")
    assert [bot.name for bot in league.accounts.bots("anna").bots] == ["fool"]


def test_a_guest_plays_few_matches_against_quick_bots(league: LeagueWorld, people: People) -> None:
    guest = guest_of("abc")
    league.thinkers["deep"] = AtRandom("deep")  # type: ignore[assignment]  # it is never asked
    league.thinkers[GUEST_THINKER] = AtRandom(GUEST_THINKER)  # type: ignore[assignment]
    assert "deep" in {bot.name for bot in people.levels(ANNA)}
    assert {bot.name for bot in people.levels(guest)} == {*league.players, GUEST_THINKER}
    with pytest.raises(BadTable):
        people.start(guest, "durak", ["deep"], options={})
    for _ in range(MOST_GUEST_MATCHES):
        people.start(guest, "durak", ["a1"], options={})
    with pytest.raises(BotUnavailable):
        people.start(guest, "durak", ["a1"], options={})


def test_a_guest_continues_only_short_matches(
    league: LeagueWorld, people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = play(league, people.start(ANNA, "durak", ["a1"], options={}))
    monkeypatch.setattr(people_module, "MOST_GUEST_REPEATED", 2)
    with pytest.raises(BadTable, match="at most 2 moves"):
        people.play_on(guest_of("abc"), done, 1, 3, seat=0, opponents=["a1"])
    people.play_on(ANNA, done, 1, 3, seat=0, opponents=["a1"])
    assert people.play_on(guest_of("abc"), done, 1, 2, seat=0, opponents=["a1"]).config.continues is not None
