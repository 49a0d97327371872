"""Until a duplicate group ends, a match is visible only to its own seats, in casual groups and in ladders."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.live.leaks.groups import (
    Company,
    GroupTable,
    casual_group,
    end_in_one_world,
    ladder_group,
    play_differently,
    probe,
)
from tests.live.leaks.plays import twins
from tests.live.leaks.worlds import TwinWorlds

pytestmark = [pytest.mark.ci, pytest.mark.live]

TO_BEGIN = {"first_attacker": "dealer_left"}
"""With these options seat 1 begins, whatever the deal."""


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TwinWorlds]:
    with TwinWorlds(tmp_path_factory.mktemp("groups")) as both:
        yield both


def test_a_viewer_without_a_seat_learns_nothing_about_a_running_group(worlds: TwinWorlds) -> None:
    company = Company(worlds, "casual", 3)
    group = casual_group(company, {"bots": [company.bot(0), company.bot(1)], "entropy": None}, 2)
    company.come(0, 1)
    worlds.begin_anew()
    play_differently(worlds, [company.token(0), company.token(1)], 6)
    probe(group, None, company.token(2), company.owner(2))
    worlds.check_metrics()
    end_in_one_world(worlds, group.matches[0], company.token(0))
    probe(group, None, company.token(2))
    worlds.check_secrets([world.behind(group.matches[1]).secret.hex() for world in worlds.both])


def test_a_seat_learns_nothing_about_other_tables_or_hidden_cards(worlds: TwinWorlds) -> None:
    company = Company(worlds, "once-only", 3)
    play = twins("durak", 2, 1, "another table", TO_BEGIN, most=0)
    worlds.write_decks(company.name, play.decks)
    body = {"kind": "once_only", "bots": [company.bot(0), company.bot(1)], "seat": 1, "options": TO_BEGIN}
    group = casual_group(company, {**body, "against": ["house/greedy"]}, 2)
    company.come(0)
    company.come(1)
    play_differently(worlds, [company.token(0)], 3)
    worlds.begin_anew()
    seated = GroupTable(worlds, play, group, 1, {1: 1})
    seated.glance()
    seated.look_around()
    probe(group._replace(matches=group.matches[:1]), company.token(1), company.owner(1))
    worlds.check_metrics()
    end_in_one_world(worlds, group.matches[0], company.token(0))
    seated.glance()
    seated.look_around()
    probe(group._replace(matches=group.matches[:1]), company.token(1), company.owner(1))


def test_a_seat_in_a_ladder_group_learns_nothing_hidden_and_others_learn_nothing(
    worlds: TwinWorlds,
) -> None:
    company = Company(worlds, "ladder", 3)
    play = twins("durak", 2, 1, "ladder", {}, most=8)
    worlds.write_decks(company.name, play.decks)
    group, seats = ladder_group(company)
    worlds.begin_anew()
    seated = GroupTable(worlds, play, group, 0, seats)
    seated.play_on()
    seated.look_around()
    probe(group, None, company.token(2))
    worlds.check_metrics()
    end_in_one_world(worlds, group.matches[0], seated.token_of(1))
    # A round reports how many of its tables exist, and the end of this one creates the next.
    probe(group, None, company.token(2), but=f"/v1/ladders/{group.ladder}/rounds")
