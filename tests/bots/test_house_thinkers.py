"""House bots that think by the clock report how late they were; `search:N` does a number of playouts."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from bots.search import Seconds
from league.accounts.redis import RedisAccountStore
from league.accounts.service import Accounts, HouseVersions
from league.errors import NoSuchBot
from redisio.connection import Redis
from referee.service.redis_load import ThinkingLoad
from server.house import HOUSE_BOTS, THINKERS, ThinkingTally


class Machine:
    """A clock and the processor time of a thread, which gets a share of it."""

    def __init__(self, share: float) -> None:
        self.now = self.worked = 100.0
        self.share = share

    def work(self, seconds: float) -> None:
        self.now += seconds
        self.worked += seconds * self.share

    def rest(self, seconds: float) -> None:
        self.now += seconds


@pytest.mark.parametrize(("share", "late"), [(1.0, 0.0), (0.25, 0.75)])
def test_thinking_is_late_by_the_time_without_a_processor(share: float, late: float) -> None:
    machine, reports = Machine(share), []
    budget = Seconds(
        2.0,
        lambda: machine.now,
        machine.rest,
        lambda: machine.worked,
        lambda searched, lost: reports.append((searched, lost)),
    )
    meter = budget.start()
    while meter.more():
        machine.work(0.5)
    meter.finish()
    ((searched, lost),) = reports
    assert searched == pytest.approx(2.0)
    assert lost == pytest.approx(2.0 * late)


def test_the_rest_after_a_short_search_is_not_late() -> None:
    machine, reports = Machine(1.0), []
    budget = Seconds(
        2.0, lambda: machine.now, machine.rest, lambda: machine.worked, lambda *report: reports.append(report)
    )
    budget.start().finish()
    assert reports == [(0.0, 0.0)]
    assert machine.now == 102.0


def test_a_worker_reports_each_move_once() -> None:
    tally, sent = ThinkingTally(), list[Mapping[str, ThinkingLoad]]()
    tally.report(sent.append)
    tally.add("search", 1.0, 0.25)
    tally.add("search", 0.99, 0.0)
    tally.report(sent.append)
    tally.report(sent.append)
    assert sent == [{"search": ThinkingLoad(2, 1_990, 250)}]


def test_a_number_of_playouts_names_a_house_bot() -> None:
    assert THINKERS["search:64"].name == "search:64"
    assert THINKERS["search:64"] is THINKERS["search:64"]
    assert list(THINKERS) == ["search", "search-100ms"]
    for name in ("search:0", "search:1000", "search:064", "search:", "search:x", "greedy:5"):
        assert name not in THINKERS


@pytest.mark.usefixtures("redis_client")
def test_accounts_know_bots_by_playouts_but_do_not_list_them(redis_url: str) -> None:
    accounts = Accounts(RedisAccountStore(Redis(redis_url)), "pepper", HouseVersions(HOUSE_BOTS, THINKERS))
    bot = accounts.bot("house", "search:64")
    assert (bot.full_name, bot.id, bot.house) == ("house/search:64", "house-search:64", True)
    assert accounts.bots_by_ids([bot.id, "house-search:0"]) == [bot, None]
    assert [each.name for each in accounts.bots("house").bots] == [
        "greedy",
        "random",
        "search",
        "search-100ms",
    ]
    with pytest.raises(NoSuchBot, match='there is no bot "house/search:1000"; the house has'):
        accounts.bot("house", "search:1000")
