"""Local tournaments: their plans, and their matches at the referee's own table."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from bots.house import HOUSE_BOTS
from engine.registry import GAMES
from kozyr.local.match import BotAnswer, BotQuestion, Chair, LocalResult, NoAnswer, play
from kozyr.local.plan import LocalPlan
from records.instants import ms_of
from records.match.session import Seat
from records.verify import verify

A, B, C = (Seat(f"local/{name}", f"local-{name}", "1") for name in "abc")
GREEDY = Seat("house/greedy", "house-greedy", "1", house=True)
RANDOM = Seat("house/random", "house-random", "1", house=True)


def plan(**fields: Any) -> LocalPlan:
    known: dict[str, Any] = {
        "game": "durak", "options": {}, "seats": 2, "bots": (A, B), "deals": 4, "seed": 7, "fill": GREEDY
    }  # fmt: skip
    return LocalPlan.checked(**{**known, **fields})


class AskedBot:
    """A bot that answers by a function of the question and records the questions."""

    def __init__(self, choose: Callable[[BotQuestion], str]) -> None:
        self.choose, self.asked = choose, list[BotQuestion]()

    def answer(self, question: BotQuestion) -> BotAnswer:
        self.asked.append(question)
        return BotAnswer(self.choose(question), 5)


def first() -> AskedBot:
    return AskedBot(lambda question: question.legal_moves()[0])


def some() -> AskedBot:
    return AskedBot(lambda question: question.rng.choice(question.legal_moves()))


def played(plan: LocalPlan, number: int = 0, **chairs: Chair) -> LocalResult:
    sitting = {f"local-{name}": chair for name, chair in chairs.items()}
    return play(plan, plan.fixture(number), HOUSE_BOTS, sitting)


# The plan


def test_each_bot_plays_each_hand_once_and_the_group_has_one_deck_and_dealer() -> None:
    four = plan(seats=4, bots=(A, B, C), deals=4)
    records = [played(four, number, a=some(), b=some(), c=some()).record for number in range(4)]
    assert len({record["group"] for record in records}) == 1
    assert len({record["id"] for record in records}) == 4
    assert len({record["moves"][0]["move"] for record in records}) == 1
    assert len({record["dealer"] for record in records}) == 1
    seats = Counter(
        (seat, sitting["id"]) for record in records for seat, sitting in enumerate(record["seats"])
    )
    assert set(seats.values()) == {1}


def test_without_duplicates_every_match_has_its_own_deck_and_bots_change_seats() -> None:
    fixtures = list(plan(duplicate=False).fixtures())
    assert len(fixtures) == 4
    assert {fixture.group for fixture in fixtures} == {None}
    assert len({fixture.secret for fixture in fixtures}) == 4
    assert Counter(fixture.seats for fixture in fixtures) == {(A, B): 2, (B, A): 2}


def test_the_requested_deals_are_played_in_complete_groups() -> None:
    assert plan(deals=5).matches == 6
    assert plan(game="king", seats=4, deals=49).matches == 8
    assert plan(deals=5, duplicate=False).matches == 5
    assert plan(bots=(A, B, C), deals=4).matches == 3 * 4


def test_a_team_is_one_bot() -> None:
    teams = plan(seats=4, options={"teams": True}, deals=2)
    assert [fixture.seats for fixture in teams.fixtures()] == [(A, B, A, B), (B, A, B, A)]


def test_all_bots_meet_or_every_table_has_the_challenger() -> None:
    everybody = plan(bots=(A, B, C, GREEDY), deals=2)
    assert len(everybody.lineups) == 6
    gauntlet = plan(bots=(A, B, C, GREEDY), deals=2, gauntlet=True)
    assert gauntlet.lineups == [(A, B), (A, C), (A, GREEDY)]
    assert all(A in fixture.seats for fixture in gauntlet.fixtures())


def test_tournaments_with_one_seed_use_the_same_decks_for_any_bots() -> None:
    one, other, another = plan(), plan(bots=(C, GREEDY)), plan(seed=8)
    decks = [[fixture.secret for fixture in each.fixtures()] for each in (one, other, another)]
    assert decks[0] == decks[1]
    assert not set(decks[0]) & set(decks[2])
    ids = [{fixture.id for fixture in each.fixtures()} for each in (one, other, another)]
    assert not ids[0] & ids[1]


# A match


@pytest.mark.parametrize(
    ("game", "seats"), [(game, seats) for game in GAMES for seats in GAMES[game].seat_counts]
)
@pytest.mark.parametrize("duplicate", [True, False])
def test_bots_that_answer_at_once_have_the_same_records(game: str, seats: int, duplicate: bool) -> None:
    planned = plan(game=game, seats=seats, duplicate=duplicate, bots=(GREEDY, RANDOM))
    for number in range(min(planned.matches, 6)):
        assert played(planned, number) == played(planned, number, nobody=first())


def test_a_match_starts_at_its_own_time_and_lasts_as_long_as_its_bots_think() -> None:
    record = played(plan(bots=(GREEDY, RANDOM)), 3).record
    assert record["started"] == record["ended"] == "1970-01-01T04:00:00.000Z"
    slow = played(plan(), 3, a=first(), b=first()).record
    taken = sum(move.get("ms", 0) for move in slow["moves"])
    assert ms_of(slow["ended"]) - ms_of(slow["started"]) == taken > 0


@pytest.mark.parametrize("game", sorted(GAMES))
@pytest.mark.parametrize("duplicate", [True, False])
def test_kozyr_verify_finds_nothing_wrong(game: str, duplicate: bool) -> None:
    table: dict[str, Any] = {"game": game, "seats": GAMES[game].seat_counts[0], "duplicate": duplicate}
    for bots, other in (((A, B), AskedBot(failing)), ((A, GREEDY), some())):
        record = played(plan(bots=bots, **table), 1, a=some(), b=other).record
        assert verify(json.loads(json.dumps(record))) == []


def failing(question: BotQuestion) -> str:
    raise NoAnswer("it has a headache")


@pytest.mark.parametrize(
    ("choose", "reason"),
    [
        (failing, "it has a headache"),
        (lambda question: "attack 2C", "'attack 2C' is not a legal move"),
        (lambda question: "", "'' is not a legal move"),
    ],
)
def test_a_bot_without_legal_moves_plays_safe_moves_and_forfeits_at_the_last_strike(
    choose: Callable[[BotQuestion], str], reason: str
) -> None:
    end = played(plan(), a=AskedBot(choose), b=first())
    record = end.record
    assert (record["ending"], record["forfeits"], record["scores"]) == ("forfeit", [0], [-1, 0])
    own = [move for move in record["moves"] if move["seat"] == 0]
    assert [move["by"] for move in own] == ["timeout"] * 3
    assert [failure.bot for failure in end.failures] == ["local/a"] * 3
    assert all(failure.reason.startswith(reason) for failure in end.failures)


def test_a_late_move_is_a_timeout() -> None:
    class Late:
        def answer(self, question: BotQuestion) -> BotAnswer:
            return BotAnswer(question.legal_moves()[0], question.move_ms + 1)

    end = played(plan(), a=Late(), b=first())
    assert end.record["forfeits"] == [0]
    assert end.failures[0].reason == "the answer took 5001 ms, and 5000 were allowed"


def test_with_three_bots_the_others_play_on_after_a_forfeit() -> None:
    record = played(plan(seats=3, bots=(A, B, C)), a=AskedBot(failing), b=first(), c=first()).record
    assert (record["ending"], record["forfeits"]) == ("rules", [0])
    assert record["places"][0] == 3


# What a bot is asked


def test_a_turn_equals_that_of_the_service() -> None:
    turns: list[dict[str, Any]] = []

    def choose(question: BotQuestion) -> str:
        turns.append(question.turn(1_000))
        return str(turns[-1]["observation"]["legal_moves"][0])

    match = plan().fixture(0)
    played(plan(), a=AskedBot(choose), b=first())
    assert set(turns[0]) == {
        "match", "turn", "deal", "seat", "observation", "clocks", "deadline", "now"
    }  # fmt: skip
    assert (turns[0]["match"], turns[0]["seat"]) == (match.id, 0)
    assert turns[0]["now"] == "1970-01-01T00:00:01.000Z"
    assert turns[0]["deadline"] == "1970-01-01T00:00:06.000Z"
    assert turns[0]["clocks"] == [{"bank_ms": 0, "strikes": 0}] * 2
    numbers = [turn["turn"] for turn in turns]
    assert numbers == sorted(set(numbers))


def views(question: BotQuestion) -> tuple[list[Mapping[str, Any]], list[Mapping[str, Any]]]:
    return list(question.history()), list(question.events(0))


def test_a_seat_sees_its_own_events_numbered_without_gaps() -> None:
    asked: list[tuple[list[Mapping[str, Any]], list[Mapping[str, Any]]]] = []

    def choose(question: BotQuestion) -> str:
        asked.append(views(question))
        return question.legal_moves()[0]

    played(plan(game="king", seats=4, bots=(A, B)), a=AskedBot(choose), b=first())
    for history, events in asked:
        assert [event["n"] for event in events] == list(range(1, len(events) + 1))
        assert events[0]["type"] == "started"
        assert history[0]["type"] == "deal"
        unnumbered = [{key: value for key, value in event.items() if key != "n"} for event in events]
        assert unnumbered[-len(history) :] == history
        assert sum(event["type"] == "deal" for event in history) == 1
    last = asked[-1][1]
    assert sum(event["type"] == "deal" for event in last) == 12
    assert asked[0][1] == last[: len(asked[0][1])]
