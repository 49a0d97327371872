"""Nothing of a duplicate group is seen before its end but by a seat of its own match: not by others, not by a seat of
another of its tables, neither of a casual group nor of a ladder's."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.live.leaks.groups import Company, Seated, casual, end_one, look, of_a_ladder, play_apart
from tests.live.leaks.plays import twins
from tests.live.leaks.worlds import TwinWorlds

pytestmark = pytest.mark.live

TO_BEGIN = {"first_attacker": "dealer_left"}
"""Seat 1 begins, whatever was dealt."""


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TwinWorlds]:
    with TwinWorlds(tmp_path_factory.mktemp("groups")) as both:
        yield both


def test_who_has_no_seat_is_told_nothing_whatever_is_dealt_and_played_and_over(worlds: TwinWorlds) -> None:
    company = Company(worlds, "casual", 3)
    of = casual(company, {"bots": [company.bot(0), company.bot(1)], "entropy": None}, 2)
    company.come(0, 1)
    worlds.begin_anew()
    play_apart(worlds, [company.token(0), company.token(1)], 6)
    look(of, None, company.token(2), company.owner(2))
    worlds.check_metrics()
    end_one(worlds, of.matches[0], company.token(0))
    look(of, None, company.token(2))
    worlds.check_secrets([world.behind(of.matches[1]).secret.hex() for world in worlds.both])


def test_a_seat_is_told_nothing_of_another_table_and_nothing_hidden_of_its_own(worlds: TwinWorlds) -> None:
    company = Company(worlds, "once-only", 3)
    play = twins("durak", 2, 1, "another table", TO_BEGIN, most=0)
    worlds.write_decks(company.name, play.decks)
    body = {"kind": "once_only", "bots": [company.bot(0), company.bot(1)], "seat": 1, "options": TO_BEGIN}
    of = casual(company, {**body, "against": ["house/greedy"]}, 2)
    company.come(0)
    company.come(1)
    play_apart(worlds, [company.token(0)], 3)
    worlds.begin_anew()
    seated = Seated(worlds, play, of, 1, {1: 1})
    seated.glance()
    seated.look_around()
    look(of._replace(matches=of.matches[:1]), company.token(1))
    worlds.check_metrics()
    end_one(worlds, of.matches[0], company.token(0))
    seated.glance()
    seated.look_around()
    look(of._replace(matches=of.matches[:1]), company.token(1))


def test_a_seat_of_a_ladders_group_is_told_nothing_hidden_and_nobody_else_anything(
    worlds: TwinWorlds,
) -> None:
    company = Company(worlds, "ladder", 3)
    play = twins("durak", 2, 1, "ladder", {}, most=8)
    worlds.write_decks(company.name, play.decks)
    of, seats = of_a_ladder(company)
    worlds.begin_anew()
    seated = Seated(worlds, play, of, 0, seats)
    seated.play_on()
    seated.look_around()
    look(of, None, company.token(2))
    worlds.check_metrics()
    end_one(worlds, of.matches[0], seated.token_of(1))
    # How many of a round's tables were made is told, and the next of the group is made when this one is over.
    look(of, None, company.token(2), but=f"/v1/ladders/{of.ladder}/rounds")
