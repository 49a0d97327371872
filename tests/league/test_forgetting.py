"""Forgetting an owner whose bot played: results keep its places under a pseudonym, and no text names it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import pytest

from league.accounts.model import Owner
from league.errors import NoSuchOwner
from league.ladders.model import AccessVerdict
from league.operators.audit import AuditActor, AuditFilter
from league.operators.organisers import CorrectionAction
from redisio.connection import Redis
from redisio.scripts import Command
from referee.storage.store import Allowance, Commit
from referee.stored_names import renew_names
from tests.support.kills import killed_at, sweep
from tests.support.league import LeagueWorld
from tests.support.stored import keys_that_contain

ADMIN = AuditActor("cli", "me")
NAMES = ("leokadia", "mephisto")


def played(league: LeagueWorld) -> tuple[Owner, str]:
    """Return an owner whose bot has played one match of a duplicate group and plays the other, and the ladder."""
    host, _ = league.bot("host", "own")
    owner, bot = league.bot("leokadia", "mephisto")
    ladder = league.ladder("a1", owner=host.id, decks="rotated")
    league.ladders.enter(ladder.id, bot)
    league.finish(ladder.id, league.rounds.start(ladder.id).number)
    league.referee.resign(next(iter(league.matches())).id, bot.id)
    league.run()
    return owner, ladder.id


def test_redis_keeps_no_name_in_matches_groups_and_rounds(league: LeagueWorld) -> None:
    owner, ladder = played(league)
    league.following.follow(owner.id, "some-bot")
    before, links = list(league.matches()), league.chain.links([each.id for each in league.matches()])
    standings = league.ladders.store.standings(ladder, 1)
    kinds = {key.split(":")[-2] for key in keys_that_contain(league.redis, *NAMES)}
    assert {"match", "finished", "round", "{group"} <= kinds
    forgotten = league.administration.forget(ADMIN, "leokadia", "a request")
    assert keys_that_contain(league.redis, *NAMES) == []
    after = list(league.matches())
    assert [(each.id, each.progress, each.log) for each in after] == [
        (each.id, each.progress, each.log) for each in before
    ]
    assert {seat.stored for each in after for seat in each.config.seats if seat is not None} == {
        "house/a1",
        f"{forgotten.name}/bot-1",
    }
    assert league.chain.links([each.id for each in after]) == links
    assert league.ladders.store.standings(ladder, 1) == standings
    assert owner.id == forgotten.id
    assert league.following.bots(owner.id) == []


def test_redis_keeps_no_name_in_results_of_groups(league: LeagueWorld) -> None:
    host, _ = league.bot("host", "own")
    _, bot = league.bot("leokadia", "mephisto")
    ladder = league.ladder("a1", owner=host.id, format_="swiss", decks="rotated", rated=True)
    league.ladders.enter(ladder.id, bot)
    for _ in range(2):
        league.finish(ladder.id, league.rounds.start(ladder.id).number)
        while running := [each for each in league.matches() if not each.finished]:
            league.referee.resign(running[0].id, bot.id)
            league.run()
        league.seasons.end(ladder.id)
    found = {key for key in keys_that_contain(league.redis, "leokadia") if key.endswith("outcomes")}
    assert {key.split(":")[1] for key in found} == {"{ratings", "{ladder"}
    results = sorted(league.ratings.store.results(ladder.preset))
    league.administration.forget(ADMIN, "leokadia", "a request")
    assert keys_that_contain(league.redis, *NAMES) == []
    assert [(each.id, each.ended) for each in sorted(league.ratings.store.results(ladder.preset))] == [
        (each.id, each.ended) for each in results
    ]


def test_a_commit_that_was_read_before_does_not_bring_the_name_back(
    league: LeagueWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    played(league)
    running = next(each for each in league.matches() if not each.finished)
    (before,) = league.store.read([running.id])
    assert before is not None
    league.administration.forget(ADMIN, "leokadia", "a request")
    monkeypatch.setattr("records.names._CURRENT", {})  # a process that does not know the new name
    late = Commit(
        match=running.id,
        version=before.version,
        config=before.config,
        config_changed=True,
        progress=before.progress,
        secret=before.secret,
        log=before.log,
        appended="",
        closed=(),
        allowance=Allowance.KEEP,
    )
    assert league.store.commit([late]) == [None]
    (after,) = league.store.read([running.id])
    assert after is not None
    assert (after.progress, after.log, after.asked) == (before.progress, before.log, before.asked)
    assert keys_that_contain(league.redis, *NAMES) == []


def judged(league: LeagueWorld) -> None:
    """Let an organiser disqualify and ban an owner's bot, with reasons that name both, and end the season."""
    _, ladder = played(league)
    actor, why = AuditActor("t1", "host"), "leokadia/mephisto was run by leokadia"
    bot = league.accounts.bot("leokadia", "mephisto")
    league.organisers.correct(actor, ladder, CorrectionAction.DISQUALIFY, bot, 1, why)
    league.organisers.set_rules(actor, ladder, ["leokadia"], AccessVerdict.BANNED, why)
    league.seasons.end(ladder)


@pytest.mark.parametrize("at", sweep(range(4, 96, 2)))
def test_a_command_that_was_killed_can_be_repeated(league: LeagueWorld, at: int) -> None:
    judged(league)
    with killed_at(at, before=False):
        league.administration.forget(ADMIN, "leokadia", "a request")
    league.accounts.learn_names(at_once=True)
    (entry, *_), _ = league.audit.page(AuditFilter(action="forget"), None, 10)
    with suppress(NoSuchOwner):
        league.administration.forget(ADMIN, "leokadia", "a request")
    league.administration.forget(ADMIN, entry.target.partition(" ")[2], "a request")
    assert keys_that_contain(league.redis, *NAMES) == []
    (rule,) = [rule for each in league.ladders.page()[0] for rule in league.ladders.access.rules(each.id)]
    assert rule.verdict is AccessVerdict.BANNED


class Between:
    """A Redis where something happens after the first read of a match."""

    def __init__(self, redis: Redis, happens: Callable[[], object]) -> None:
        self._redis, self._happens = redis, happens

    def __getattr__(self, name: str) -> Any:
        return getattr(self._redis, name)

    def all(self, commands: Sequence[Command]) -> Sequence[Any]:
        answers = self._redis.all(commands)
        if commands and commands[0][0] == "HMGET":
            happens, self._happens = self._happens, lambda: None
            happens()
        return answers


def test_a_move_that_comes_while_names_are_replaced_stays(league: LeagueWorld) -> None:
    played(league)
    running = next(each for each in league.matches() if not each.finished)
    bot = league.accounts.bot("leokadia", "mephisto")
    forgotten = league.accounts.forget_names(league.accounts.owner_by_name("leokadia").id)
    between: Any = Between(league.redis, lambda: league.referee.resign(running.id, bot.id))
    renew_names(between, [bot.id])
    (found,) = [each for each in league.matches() if each.id == running.id]
    assert found.finished
    assert f"{forgotten.name}/bot-1" in {seat.stored for seat in found.config.seats if seat is not None}
