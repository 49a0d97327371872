"""Ladders of every format, played round by round."""

from __future__ import annotations

from collections import Counter

import pytest

from league.accounts.model import Bot, MatchPolicy
from league.errors import NothingToPlay
from league.ladders.model import Ladder, LadderState, RoundState
from records.match.session import Ending
from redisio.connection import Redis
from tests.support.league import LeagueWorld

BOTS = ("a1", "a2", "a3", "a4")


def play(league: LeagueWorld, ladder: Ladder) -> list[frozenset[str]]:
    """Play the next round and return its meetings."""
    dry = league.rounds.dry_run(ladder.id)
    started = league.rounds.start(ladder.id)
    league.finish(ladder.id, started.number)
    league.run()
    league.finish(ladder.id, started.number)
    done = league.ladders.round(ladder.id, started.number)
    assert (done.state, done.planned, done.played) == (RoundState.DONE, dry.planned, dry.planned)
    played = Counter(
        frozenset(seat.bot for seat in loaded.config.seats if seat is not None)
        for loaded in league.matches()
        if loaded.config.round == started.number
    )
    meetings = [frozenset(each.name for each in meeting) for meeting in dry.meetings]
    assert set(played) == set(meetings), "the dry run named the meetings"
    return meetings


def over(league: LeagueWorld, ladder: Ladder) -> str:
    with pytest.raises(NothingToPlay) as refusal:
        league.rounds.start(ladder.id)
    return str(refusal.value)


@pytest.mark.parametrize("format_", ["round_robin", "gauntlet", "swiss", "arena"])
def test_a_bot_that_leaves_is_not_seated_until_it_is_back(league: LeagueWorld, format_: str) -> None:
    ladder = league.ladder("a1", "a2", "a3", format_=format_)
    _, bot = league.bot("mira", "fool")
    league.ladders.enter(ladder.id, bot)
    league.presence.leave(bot.id)
    assert bot.id not in {entrant.id for entrant in league.rounds.start(ladder.id).entrants}
    again = league.ladder("a1", "a2", "a3", format_=format_)
    league.ladders.enter(again.id, bot)
    league.presence.seen(bot.id)
    assert bot.id in {entrant.id for entrant in league.rounds.start(again.id).entrants}


def test_a_bot_that_leaves_keeps_its_place_in_a_bracket(league: LeagueWorld) -> None:
    ladder = league.ladder("a1", "a2", "a3", format_="knock_out")
    _, bot = league.bot("mira", "fool")
    league.ladders.enter(ladder.id, bot)
    league.presence.leave(bot.id)
    assert bot.id in {entrant.id for entrant in league.rounds.start(ladder.id).entrants}


@pytest.mark.parametrize("decks", ["independent", "rotated"])
def test_a_swiss_ladder_has_its_rounds_and_no_rematch(league: LeagueWorld, decks: str) -> None:
    ladder = league.ladder(*BOTS, format_="swiss", parameters={"rounds": 3}, decks=decks)
    met = [pair for _ in range(3) for pair in play(league, ladder)]
    assert len(set(met)) == len(met) == 6
    assert over(league, ladder) == "all 3 rounds have been played"


def test_a_knock_out_continues_without_withdrawn_bots_and_later_entries(league: LeagueWorld) -> None:
    ladder = league.ladder(*BOTS[:3], format_="knock_out", parameters={"groups": 1})
    (first,) = play(league, ladder)
    assert first == {"house/a2", "house/a3"}
    league.ladders.enter(ladder.id, league.accounts.bot("house", "a4"))
    league.ladders.withdraw(ladder.id, "house-a1")
    assert over(league, ladder).split()[0] in first


@pytest.mark.parametrize("decks", ["independent", "rotated"])
def test_the_bracket_shows_meetings_advancing_bots_and_tie_breaks(league: LeagueWorld, decks: str) -> None:
    ladder = league.ladder(*BOTS[:3], format_="knock_out", parameters={"groups": 2}, decks=decks)
    assert league.rounds.bracket(ladder.id) == ((), None, 0)
    met: Counter[frozenset[str]] = Counter()
    while league.rounds.bracket(ladder.id).winner is None:
        met.update(play(league, ladder))
    first, final = league.rounds.bracket(ladder.id).stages
    assert [each.name for each in first.byes] == ["house/a1"]
    for stage in (first, final):
        (node,) = stage.nodes
        assert node.groups == met[frozenset(each.name for each in node.table)]
        through, out = sorted(node.table, key=lambda each: each not in (node.through or ()))
        assert node.points[through.id] >= node.points[out.id]
        if node.groups == 1:
            assert node.points[through.id] > node.points[out.id], "a tie is replayed"
    assert set(final.nodes[0].table) == {*first.byes, *(first.nodes[0].through or ())}
    winner = league.rounds.bracket(ladder.id).winner
    assert final.nodes[0].through == (winner,)
    league.seasons.end(ladder.id)
    (_, past), _ = league.seasons.page(ladder.id)
    assert winner is not None
    assert [each.name for each in league.seasons.leaders(past)] == [winner.name]
    assert league.rounds.bracket(ladder.id) == ((), None, 0)
    league.ladders.withdraw(ladder.id, winner.id)
    assert league.rounds.bracket(ladder.id, 1).winner == winner, "a finished season does not change"


def test_a_table_whose_bot_is_withdrawn_is_decided_in_the_bracket_at_once(league: LeagueWorld) -> None:
    ladder = league.ladder(*BOTS[:3], format_="knock_out", parameters={"groups": 1})
    play(league, ladder)
    league.ladders.withdraw(ladder.id, "house-a1")
    winner = league.rounds.bracket(ladder.id).winner
    assert winner is not None
    assert over(league, ladder) == f"{winner.name} has won"


def test_a_knock_out_table_decided_by_play_stays_decided(league: LeagueWorld) -> None:
    ladder = league.ladder(*BOTS[:3], format_="knock_out", parameters={"groups": 1})
    play(league, ladder)
    (node,) = league.rounds.bracket(ladder.id).stages[0].nodes
    (through,) = node.through or ()
    league.ladders.withdraw(ladder.id, through.id)
    bracket = league.rounds.bracket(ladder.id)
    assert bracket.stages[0].nodes == (node,), "the bot that it beat stays out"
    assert bracket.winner is not None
    assert bracket.winner.name == "house/a1"
    league.ladders.enter(ladder.id, league.accounts.bot("house", through.name.partition("/")[2]))
    play(league, ladder)
    winner = league.rounds.bracket(ladder.id).winner
    assert winner is not None
    league.ladders.change(ladder.id, state="closing")
    (entry,) = [each for each in league.ladders.entries(ladder.id) if each.bot == winner.id]
    league.ladders.store.put_entry(ladder.id, entry._replace(withdrawn=1))
    assert league.rounds.bracket(ladder.id).winner == winner


def test_a_bot_absent_when_a_knock_out_round_was_opened_stays_out(redis: Redis) -> None:
    league = LeagueWorld(redis, None, house=(*BOTS, "a5"))
    ladder = league.ladder(*BOTS, "a5", format_="knock_out", parameters={"groups": 1})
    play(league, ladder)
    (first,) = league.rounds.bracket(ladder.id).stages[0].byes[:1]
    league.ladders.withdraw(ladder.id, first.id)
    play(league, ladder)
    stages = league.rounds.bracket(ladder.id).stages
    assert not any(first in (node.through or ()) for node in stages[1].nodes)
    league.ladders.enter(ladder.id, league.accounts.bot("house", first.name.partition("/")[2]))
    assert league.rounds.bracket(ladder.id).stages == stages
    (final,) = play(league, ladder)
    assert first.name not in final


def test_a_bot_that_refuses_its_opponent_loses_to_it(league: LeagueWorld) -> None:
    _, ivan = league.bot("ivan", "fool")
    ladder = league.ladder("a1", format_="knock_out")
    league.ladders.enter(ladder.id, ivan)
    league.accounts.update_bot(ivan.id, match_policy=MatchPolicy(excluded_owners=("house",)))
    winner = league.rounds.bracket(ladder.id).winner
    assert winner is None, "no round was opened"
    assert over(league, ladder) == "house/a1 has won"


def test_a_final_lost_by_absence_stays_lost_after_the_season(league: LeagueWorld) -> None:
    ladder = league.ladder(*BOTS, format_="knock_out", parameters={"groups": 1}, decks="rotated")
    play(league, ladder)
    (final,) = league.rounds.bracket(ladder.id).stages[1].nodes
    league.ladders.withdraw(ladder.id, final.table[0].id)
    winner = league.rounds.bracket(ladder.id).winner
    assert winner == final.table[1]
    league.seasons.end(ladder.id)
    league.ladders.enter(ladder.id, league.accounts.bots_by_ids([final.table[0].id])[0])
    assert league.rounds.bracket(ladder.id, 1).winner == winner
    (_, past), _ = league.seasons.page(ladder.id)
    assert [each.bot for each in league.seasons.leaders(past)] == [winner.id]


def test_a_refusal_that_decided_a_table_is_not_undone_by_a_later_policy(league: LeagueWorld) -> None:
    _, ivan = league.bot("ivan", "fool")
    refuses = MatchPolicy(excluded_owners=("house",))
    ladder = league.ladder(*BOTS[:3], format_="knock_out", parameters={"groups": 1}, decks="rotated")
    league.ladders.enter(ladder.id, ivan)
    league.accounts.update_bot(ivan.id, match_policy=refuses)
    assert len(play(league, ladder)) == 1, "the other table was decided when the round was opened"
    before = league.rounds.bracket(ladder.id)
    assert ivan.id not in {each.id for each in before.stages[1].nodes[0].table}
    league.accounts.update_bot(ivan.id, match_policy=MatchPolicy())
    assert league.rounds.bracket(ladder.id) == before
    play(league, ladder)
    winner = league.rounds.bracket(ladder.id).winner
    assert winner is not None
    league.accounts.update_bot(ivan.id, match_policy=refuses)
    assert league.rounds.bracket(ladder.id).winner == winner


def knock_out_of_three(league: LeagueWorld) -> tuple[Ladder, Bot]:
    """Return a knock-out of a remote bot and two house bots, of which the first round is played, and the remote bot."""
    _, ivan = league.bot("ivan", "fool")
    ladder = league.ladder(format_="knock_out", parameters={"groups": 1}, decks="rotated")
    league.ladders.enter(ladder.id, ivan)
    league.clock.ms += 1
    for bot in BOTS[:2]:
        league.ladders.enter(ladder.id, league.accounts.bot("house", bot))
    play(league, ladder)
    return ladder, ivan


def test_a_refusal_that_decided_a_season_is_not_undone_by_a_later_policy(league: LeagueWorld) -> None:
    ladder, ivan = knock_out_of_three(league)
    (final,) = league.rounds.bracket(ladder.id).stages[1].nodes
    league.accounts.update_bot(ivan.id, match_policy=MatchPolicy(excluded_owners=("house",)))
    winner = league.rounds.bracket(ladder.id).winner
    assert {each.id for each in final.table} == {ivan.id, winner and winner.id}
    league.seasons.end(ladder.id)
    before = league.rounds.bracket(ladder.id, 1)
    league.accounts.update_bot(ivan.id, match_policy=MatchPolicy())
    assert league.rounds.bracket(ladder.id, 1) == before
    assert before.winner == winner


def test_a_final_lost_by_absence_stays_lost_after_the_ladder_has_closed(league: LeagueWorld) -> None:
    ladder, ivan = knock_out_of_three(league)
    league.accounts.update_bot(ivan.id, match_policy=MatchPolicy(excluded_owners=("house",)))
    before = league.rounds.bracket(ladder.id)
    assert before.winner is not None
    assert league.ladders.change(ladder.id, state="closing").state is LadderState.CLOSED
    league.accounts.update_bot(ivan.id, match_policy=MatchPolicy())
    assert league.rounds.bracket(ladder.id) == before
    (entry,) = [each for each in league.ladders.entries(ladder.id) if each.bot == before.winner.id]
    league.ladders.store.put_entry(ladder.id, entry._replace(withdrawn=1))
    assert league.rounds.bracket(ladder.id) == before


def test_a_gauntlet_keeps_its_challenger_when_that_bot_can_not_play(league: LeagueWorld) -> None:
    _, ivan = league.bot("ivan", "fool")
    ladder = league.ladder(format_="gauntlet")
    league.ladders.enter(ladder.id, ivan)
    league.clock.ms += 1
    for bot in BOTS[:2]:
        league.ladders.enter(ladder.id, league.accounts.bot("house", bot))
    league.accounts.update_bot(ivan.id, match_policy=MatchPolicy(games=("king",)))
    assert over(league, ladder) == "the challenger, who entered first, is not among the entries that can play"
    league.accounts.update_bot(ivan.id, match_policy=MatchPolicy())
    league.ladders.withdraw(ladder.id, ivan.id)
    league.clock.ms += 1
    league.ladders.enter(ladder.id, ivan)
    assert all(ivan.id in {bot.id for bot in each} for each in league.rounds.dry_run(ladder.id).meetings)


def test_a_bot_that_resigns_before_a_ladder_match_begins_loses_it(league: LeagueWorld) -> None:
    _, ivan = league.bot("ivan", "fool")
    ladder = league.ladder("a1")
    league.ladders.enter(ladder.id, ivan)
    number = league.rounds.start(ladder.id).number
    league.rounds.work(ladder.id, number)
    (loaded,) = league.matches()
    over = league.referee.resign(loaded.id, ivan.id)
    seat = over.config.seat_of(ivan.id)
    assert (over.finished, over.progress.ending, over.progress.forfeits) == (True, Ending.RESIGNED, (seat,))
    league.run()
    done = league.ladders.round(ladder.id, number)
    assert (done.state, done.played, done.aborted) == (RoundState.DONE, 1, 0)
    first, last = league.ladders.standings(ladder.id)
    assert (last.bot, last.line.second, first.line.wins) == (ivan.id, 1, 1)


def test_a_versus_ladder_ends_after_its_maximum_of_groups(league: LeagueWorld) -> None:
    ladder = league.ladder("a1", "a2", format_="versus", parameters={"batch": 2, "most": 3}, decks="rotated")
    assert len(play(league, ladder)) == 2
    assert len(play(league, ladder)) == 1
    assert over(league, ladder) == "3 groups have been played"


def test_the_first_entry_is_the_challenger_of_a_gauntlet(league: LeagueWorld) -> None:
    ladder = league.ladder(format_="gauntlet", repeats=2)
    for bot in ("a3", "a1", "a2"):
        league.ladders.enter(ladder.id, league.accounts.bot("house", bot))
        league.clock.ms += 1
    met = Counter(play(league, ladder))
    assert met == {frozenset(("house/a3", "house/a1")): 2, frozenset(("house/a3", "house/a2")): 2}
