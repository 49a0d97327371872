"""Arenas: bots that are online and free get seats, and a slow match delays only its players."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from league.accounts.model import Bot
from league.errors import NothingToPlay
from league.ladders.model import Ladder, RoundState
from league.ladders.schedule import Continuous
from league.rounds import Rounds
from league.rounds.timing import GATHER_MS
from records.match.loaded_match import LoadedMatch
from records.match.session import Status
from tests.support.league import LeagueWorld, WallClock


def arena(league: LeagueWorld, *house: str, remote: int = 0, **more: Any) -> tuple[Ladder, list[Bot]]:
    ladder = league.ladder(*house, format_="arena", **more)
    bots = [league.bot(f"owner-{number}", "bot")[1] for number in range(remote)]
    for bot in bots:
        league.ladders.enter(ladder.id, bot)
    return ladder, bots


def start(league: LeagueWorld, ladder: Ladder) -> set[str]:
    """Open a round and return the names of its bots."""
    made = league.rounds.start(ladder.id)
    league.finish(ladder.id, made.number)
    league.run()
    return {made.entrants[at].name for meeting in made.meetings or () for at in meeting}


def at_tables(league: LeagueWorld) -> list[LoadedMatch]:
    return [loaded for loaded in league.matches() if not loaded.finished]


def end(league: LeagueWorld, loaded: LoadedMatch) -> None:
    """End a match: all bots show up, and one resigns."""
    for seat in loaded.config.seats:
        if seat is not None and not seat.house and loaded.progress.status is Status.WAITING:
            league.referee.show_up(loaded.id, seat.id)
    loser = next(seat for seat in loaded.config.seats if seat is not None and not seat.house)
    league.referee.resign(loaded.id, loser.id)
    league.run()


def test_an_offline_bot_is_not_seated(league: LeagueWorld) -> None:
    ladder, bots = arena(league, "a1", remote=3)
    league.offline = {bots[0].id}
    playing = start(league, ladder)
    assert bots[0].full_name not in playing
    league.offline = set()
    assert bots[0].full_name in start(league, ladder)


@pytest.mark.parametrize("decks", ["independent", "rotated"])
def test_a_slow_match_delays_only_its_players(league: LeagueWorld, decks: str) -> None:
    ladder, bots = arena(league, remote=2, decks=decks)
    slow = {bot.full_name for bot in bots}
    # These two stay at their table until the test ends their match.
    assert start(league, ladder) == slow
    for name in ("a1", "a2", "a3"):
        league.ladders.enter(ladder.id, league.accounts.bot("house", name))
    playing = Counter(name for _ in range(6) for name in start(league, ladder))
    assert playing == {"house/a1": 4, "house/a2": 4, "house/a3": 4}
    assert league.ladders.store.rounds_under_way(ladder.id) == [1]
    while at_tables(league):
        end(league, at_tables(league)[0])
    assert league.ladders.round(ladder.id, 1).state is RoundState.DONE
    assert start(league, ladder) >= slow, "the bot that waited longest comes first"


def test_no_bot_sits_at_two_tables_of_an_arena(league: LeagueWorld) -> None:
    ladder, _ = arena(league, remote=5, decks="rotated")
    first = start(league, ladder)
    assert len(first) == 4
    with pytest.raises(NothingToPlay):
        league.rounds.start(ladder.id)
    seated = Counter(
        seat.bot for loaded in at_tables(league) for seat in loaded.config.seats if seat is not None
    )
    assert set(seated.values()) == {1}
    # A bot is not free between the tables of its group.
    end(league, at_tables(league)[0])
    with pytest.raises(NothingToPlay):
        league.rounds.start(ladder.id)


def test_a_bot_without_room_is_not_seated(league: LeagueWorld) -> None:
    ladder, bots = arena(league, "a1", remote=2)
    league.rounds = Rounds(
        league.ladders,
        league.referee,
        league.groups,
        league.recorded,
        running=lambda ids: {bot: 99 if bot == bots[0].id else 0 for bot in ids},
    )
    assert start(league, ladder) == {"house/a1", bots[1].full_name}


def test_a_continuous_arena_seats_free_bots_within_two_seconds(league: LeagueWorld, clock: WallClock) -> None:
    ladder, _ = arena(league, remote=2, cron=Continuous(), state="running")
    league.rounds.tick()
    assert league.start() == 1
    league.finish(ladder.id, 1)
    for name in ("three", "four"):
        league.ladders.enter(ladder.id, league.bot(name, "bot")[1])
    league.offline = {entry.bot for entry in league.ladders.entries(ladder.id) if "four" in entry.name}
    league.rounds.tick()
    assert league.start() == 0
    league.offline = set()
    clock.ms += GATHER_MS
    league.rounds.tick()
    assert league.start() == 1
    assert league.ladders.store.rounds_under_way(ladder.id) == [1, 2]


def test_an_arena_closes_after_its_last_round(league: LeagueWorld) -> None:
    ladder, _ = arena(league, remote=4)
    league.offline = {bot.bot for bot in league.ladders.entries(ladder.id)[:2]}
    start(league, ladder)
    league.offline = set()
    start(league, ladder)
    league.ladders.change(ladder.id, state="closing")
    first, second = at_tables(league)
    end(league, first)
    assert league.ladders.get(ladder.id).state == "closing"
    end(league, second)
    assert league.ladders.get(ladder.id).state == "closed"
