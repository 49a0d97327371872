"""Corrections of published results: voids, reruns, bans, disqualifications and decisions after the end."""

from __future__ import annotations

import pytest

from league.errors import BadValue, EntryRefused, NothingToPlay
from league.ladders.model import AccessVerdict, Ladder, LadderState
from league.operators.audit import AuditActor
from league.operators.organisers import CorrectionAction
from tests.support.league import LeagueWorld

BY = AuditActor("t1", "anna")


def ended(league: LeagueWorld, *bots: str, rounds: int = 1, **more: object) -> Ladder:
    """Return a ladder whose first season has ended after some rounds."""
    ladder = league.ladder(*bots, **more)
    for _ in range(rounds):
        if ladder.format == "knock_out" and league.rounds.bracket(ladder.id).winner is not None:
            break
        league.finish(ladder.id, league.rounds.start(ladder.id).number)
        league.run()
    league.seasons.end(ladder.id)
    return league.ladders.get(ladder.id)


def winners(league: LeagueWorld, ladder: Ladder, season: int = 1) -> list[str]:
    return [each.name for each in league.seasons.leaders(league.seasons.get(ladder.id, season))]


def is_complete(league: LeagueWorld, ladder: Ladder) -> bool:
    return league.published.is_complete(league.seasons.get(ladder.id, 1))


def story(league: LeagueWorld, ladder: Ladder) -> list[tuple[str, str, str, bool]]:
    versions = league.published.versions(ladder.id, 1)
    assert [each.version for each in versions] == list(range(1, len(versions) + 1))
    return [(each.action, each.by, each.reason, each.complete) for each in versions]


def correct(league: LeagueWorld, ladder: Ladder, action: str, bot: str, season: int | None = 1) -> None:
    found = league.accounts.bot(*bot.split("/"))
    league.organisers.correct(BY, ladder.id, CorrectionAction(action), found, season, "a reason")


def final_match(league: LeagueWorld, ladder: Ladder) -> str:
    """Return a match of the last counted meeting of a knock-out's first season."""
    final = league.rounds.bracket(ladder.id, 1).stages[-1].nodes[0]
    bots = {entrant.id for entrant in final.table}
    found = [
        each
        for each in league.matches()
        if not each.void and {seat.id for seat in each.config.seats if seat} == bots
    ]
    return max(found, key=lambda each: each.config.round or 0).id


@pytest.mark.parametrize("decks", ["rotated", "independent"])
def test_a_voided_final_is_played_again_and_the_result_is_corrected(league: LeagueWorld, decks: str) -> None:
    ladder = ended(league, "a1", "a2", "a3", "a4", rounds=8, format_="knock_out", decks=decks)
    (champion,) = winners(league, ladder)
    assert is_complete(league, ladder)
    assert story(league, ladder) == [("published", "", "", True)]
    matches = []
    while True:  # the final may have taken more than one group
        match = final_match(league, ladder)
        matches.append(match)
        league.administration.void(BY, match, "a broken deck")
        if league.rounds.bracket(ladder.id, 1).winner is None:
            break
    assert not is_complete(league, ladder)
    assert story(league, ladder)[-1] == ("void", "anna", "a broken deck", False)
    league.administration.rerun(AuditActor("t2", "boris"), matches[-1], "played again")
    assert not is_complete(league, ladder)
    league.run()
    replayed = [each[1:3] for each in story(league, ladder) if each[0] in ("rerun", "replayed")]
    assert set(replayed) == {("boris", "played again")}
    if league.rounds.bracket(ladder.id, 1).winner is None:  # tied: the organiser decides
        correct(league, ladder, "decide", champion)
    assert is_complete(league, ladder)
    assert len(winners(league, ladder)) == 1
    versions = league.published.versions(ladder.id, 1)
    assert [each.name for each in versions[0].winners] == [champion]
    assert [each.name for each in versions[-1].winners] == winners(league, ladder)
    assert versions[-1].complete
    assert (versions[-1].action, versions[-1].by) in {
        ("rerun", "boris"),
        ("replayed", "boris"),
        ("decide", "anna"),
    }


def test_an_organiser_decides_a_meeting_that_can_not_be_played(league: LeagueWorld) -> None:
    ladder = ended(league, "a1", "a2", rounds=4, format_="knock_out", decks="rotated")
    (champion,) = winners(league, ladder)
    (other,) = {"house/a1", "house/a2"} - {champion}
    with pytest.raises(BadValue, match=f'"{other}" is refused; expected: a bot of an undecided meeting'):
        correct(league, ladder, "decide", other)
    with pytest.raises(BadValue, match="a season that has ended"):
        correct(league, ladder, "decide", other, season=2)
    assert story(league, ladder) == [("published", "", "", True)]
    while league.rounds.bracket(ladder.id, 1).winner is not None:
        league.administration.void(BY, final_match(league, ladder), "a broken deck")
    assert (is_complete(league, ladder), winners(league, ladder)) == (False, [])
    correct(league, ladder, "decide", other)
    assert (is_complete(league, ladder), winners(league, ladder)) == (True, [other])
    assert story(league, ladder)[-1] == ("decide", "anna", "a reason", True)


@pytest.mark.parametrize("format_", ["round_robin", "swiss", "knock_out"])
def test_a_disqualified_winner_leaves_and_the_next_ones_move_up(league: LeagueWorld, format_: str) -> None:
    ladder = ended(league, "a1", "a2", "a3", "a4", rounds=4, format_=format_, decks="rotated")
    before = league.ladders.standings(ladder.id, 1)
    first, *rest = [each.name for each in before]
    for season in (None, 3):
        if season == 3:
            with pytest.raises(Exception, match="no season 3"):
                correct(league, ladder, "disqualify", first, season)
        else:
            correct(league, ladder, "disqualify", first, season)  # of the present season
    assert [each.place for each in league.ladders.standings(ladder.id, 1)] == [each.place for each in before]
    correct(league, ladder, "disqualify", first)
    after = league.ladders.standings(ladder.id, 1)
    assert [each.name for each in after] == [*rest, first]
    assert (after[-1].place, after[-1].rank.entry.out, after[-1].rank.won) == (None, "a reason", False)
    assert after[0].place == 1
    assert winners(league, ladder) == [each.name for each in after if each.place == 1]
    assert story(league, ladder)[-1] == ("disqualify", "anna", "a reason", True)
    correct(league, ladder, "reinstate", first)
    assert [each.place for each in league.ladders.standings(ladder.id, 1)] == [each.place for each in before]
    assert [each[0] for each in story(league, ladder)] == ["published", "disqualify", "reinstate"]


@pytest.mark.parametrize("withdrawn", [True, False])
@pytest.mark.parametrize("after_the_end", [True, False])
def test_a_banned_bot_wins_nothing(league: LeagueWorld, withdrawn: bool, after_the_end: bool) -> None:
    ladder = league.ladder("a1", "a2", "a3", decks="rotated")
    league.finish(ladder.id, league.rounds.start(ladder.id).number)
    league.run()
    best = league.ladders.standings(ladder.id)[0]
    if withdrawn:
        league.ladders.withdraw(ladder.id, best.bot)
    if after_the_end:
        league.seasons.end(ladder.id)
    league.organisers.set_rules(BY, ladder.id, [best.name], AccessVerdict.BANNED, "it cheated")
    if not after_the_end:
        league.seasons.end(ladder.id)
    assert best.name not in winners(league, ladder)
    (line,) = [each for each in league.ladders.standings(ladder.id, 1) if each.bot == best.bot]
    assert (line.place, line.rank.entry.out) == (None, "banned: it cheated")
    actions = ["published", "ban"] if after_the_end else ["published"]
    assert [each[0] for each in story(league, ladder)] == actions
    league.organisers.set_rules(BY, ladder.id, [best.name], None)
    if after_the_end:
        assert best.name in winners(league, ladder)


def test_a_season_before_the_last_one_is_not_changed_by_a_ban(league: LeagueWorld) -> None:
    ladder = ended(league, "a1", "a2", decks="rotated")
    league.finish(ladder.id, league.rounds.start(ladder.id).number)
    league.organisers.set_rules(BY, ladder.id, ["house/a1"], AccessVerdict.BANNED)
    assert {each.rank.entry.out for each in league.ladders.standings(ladder.id, 1)} == {None}
    assert story(league, ladder) == [("published", "", "", True)]


def test_what_changes_nothing_makes_no_version(league: LeagueWorld) -> None:
    ladder = ended(league, "a1", "a2", decks="rotated")
    with pytest.raises(EntryRefused):
        correct(league, ladder, "disqualify", "house/a3")
    correct(league, ladder, "reinstate", "house/a1")
    league.organisers.set_rules(BY, ladder.id, ["house/a3"], AccessVerdict.BANNED)
    assert story(league, ladder) == [("published", "", "", True)]


@pytest.mark.parametrize("decks", ["rotated", "independent"])
def test_the_next_round_repeats_a_voided_meeting_of_the_season(league: LeagueWorld, decks: str) -> None:
    ladder = league.ladder("a1", "a2", "a3", "a4", format_="knock_out", decks=decks)

    def play_on() -> None:
        while league.rounds.bracket(ladder.id).winner is None:
            league.finish(ladder.id, league.rounds.start(ladder.id).number)

    play_on()
    first_stage = league.rounds.bracket(ladder.id).stages[0]
    bots = {entrant.id for entrant in first_stage.nodes[0].table}
    for loaded in list(league.matches()):
        if {seat.id for seat in loaded.config.seats if seat} == bots:
            league.administration.void(BY, loaded.id, "a broken deck")
    assert league.rounds.bracket(ladder.id).stages[0].nodes[0].through is None
    assert league.rounds.bracket(ladder.id).stages[0].nodes[1] == first_stage.nodes[1]
    play_on()
    assert league.rounds.bracket(ladder.id).stages[0].nodes[0].through is not None
    assert len(winners(league, ladder)) == 1


def played_out(league: LeagueWorld, format_: str, **more: object) -> Ladder:
    """Return a ladder that has played until nothing was left, in its present season."""
    bots = ("a1", "a2") if format_ == "versus" else ("a1", "a2", "a3", "a4")
    ladder = league.ladder(*bots, format_=format_, decks="rotated", check=False, **more)
    while True:
        try:
            number = league.rounds.start(ladder.id).number
        except NothingToPlay:
            return ladder
        assert story(league, ladder) == []
        league.finish(ladder.id, number)


COMPLETE = (
    ("swiss", {"parameters": {"rounds": 2}}),
    ("knock_out", {}),
    ("versus", {"parameters": {"most": 3, "batch": 2}}),
)


@pytest.mark.parametrize(("format_", "more"), COMPLETE)
def test_a_complete_format_is_published_without_the_end_of_its_season(
    league: LeagueWorld, format_: str, more: dict[str, object]
) -> None:
    ladder = played_out(league, format_, **more)
    assert is_complete(league, ladder)
    assert story(league, ladder) == [("published", "", "", True)]
    (version,) = league.published.versions(ladder.id, 1)
    assert [each.name for each in version.winners] == winners(league, ladder)
    if format_ != "versus":  # whose table is full
        league.ladders.enter(ladder.id, league.bot("mira", "late")[1])
        assert story(league, ladder) == [("published", "", "", True)]
    league.seasons.end(ladder.id)
    assert story(league, ladder) == [("published", "", "", True)]


@pytest.mark.parametrize(("format_", "more"), COMPLETE)
def test_the_result_is_stored_although_the_process_dies_at_the_end_of_the_last_round(
    league: LeagueWorld, format_: str, more: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as dying:
        dying.setattr(league.ladders, "close_if_done", lambda _: None)
        ladder = played_out(league, format_, **more)
    stored = league.ladders.store.result_count
    assert stored(ladder.id, 1) == 0
    league.clock.ms += 60_000
    league.rounds.tick()
    assert stored(ladder.id, 1) == 1


def test_more_rounds_make_a_complete_tournament_go_on(league: LeagueWorld) -> None:
    ladder = played_out(league, "swiss", parameters={"rounds": 2})
    league.organisers.change(BY, ladder.id, {"parameters": {"rounds": 3}})
    assert not is_complete(league, ladder)
    assert story(league, ladder)[1:] == [("change", "anna", "", False)]
    league.finish(ladder.id, league.rounds.start(ladder.id).number)
    assert story(league, ladder)[2:] == [("replayed", "anna", "", True)]


def test_a_round_robin_goes_on_until_it_is_closed(league: LeagueWorld) -> None:
    ladder = league.ladder("a1", "a2", "a3", decks="rotated")
    league.finish(ladder.id, league.rounds.start(ladder.id).number)
    league.run()
    assert (is_complete(league, ladder), story(league, ladder)) == (False, [])
    league.ladders.enter(ladder.id, league.accounts.bot("house", "a4"))
    league.ladders.change(ladder.id, state=LadderState.CLOSING)
    assert story(league, ladder) == [("published", "", "", True)]
    assert len(league.published.versions(ladder.id, 1)[0].places) == 3, "only bots that took part"


def test_a_walkover_that_may_be_taken_back_is_no_result(league: LeagueWorld) -> None:
    _, bot = league.bot("mira", "fool")
    ladder = league.ladder("a1", format_="knock_out", decks="rotated", check=False)
    league.ladders.enter(ladder.id, bot)
    league.rounds.start(ladder.id)
    for match in list(league.matches()):
        league.administration.void(BY, match.id, "a broken deck")
    league.run()
    league.ladders.withdraw(ladder.id, bot.id)
    assert league.rounds.bracket(ladder.id).winner is not None
    assert (is_complete(league, ladder), story(league, ladder)) == (False, [])
