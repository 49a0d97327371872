"""Without replicas no move is acknowledged, but the moves in other parts of a cluster are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from records.ids import CLUSTER_BUCKETS, bucket_of, buckets
from tests.api.conftest import Person, legal, refused
from tests.api.test_store_gone import world_on
from tests.support.clustered import MASTERS, REPLICAS, ClusteredRedis
from tests.support.waiting import eventually

REPLICA_OF = {master: replica for replica, master in REPLICAS.items()}


@pytest.mark.parametrize("remembered", [True, False], ids=["one round trip", "two round trips"])
def test_only_the_moves_of_a_master_without_replicas_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, remembered: bool
) -> None:
    with ClusteredRedis(tmp_path) as cluster:
        world = world_on(cluster.url, cluster=True, wait_replicas=1)
        bot = world.bot()
        assert len(buckets()) == CLUSTER_BUCKETS
        masters = [master_of(cluster, world.match(bot)["id"])]
        while len(set(masters)) < len(MASTERS):
            masters.append(master_of(cluster, world.match(bot)["id"]))
        lonely = masters[0]
        assert sorted(master_of(cluster, turn["match"]) for turn in bot.turns()) == sorted(masters)
        make_moves(bot, bot.turns())
        if not remembered:
            monkeypatch.setattr(world.services.accounts, "remembered_token", lambda _: None)
        turns = bot.turns()
        cluster.kill(REPLICA_OF[lonely])
        for replayed in (False, True):
            for turn, result in zip(turns, make_moves(bot, turns), strict=True):
                if master_of(cluster, turn["match"]) == lonely:
                    assert (result["problem"]["code"], result["problem"]["retryable"]) == ("busy", True)
                else:
                    assert result["replayed"] is replayed
        moves = [legal(turn, match=turn["match"]) for turn in turns]
        alone = {"moves": [move for move in moves if master_of(cluster, move["match"]) == lonely]}
        refused(
            bot("POST", "/v1/turns", alone),
            503,
            "store_unavailable",
        )
        cluster.start(REPLICA_OF[lonely])
        eventually(lambda: bot("POST", "/v1/turns", alone).status_code == 200)
        assert all(result["replayed"] for result in make_moves(bot, turns))


def make_moves(bot: Person, turns: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Send a move for each of these turns in one request, and return the results."""
    answer = bot("POST", "/v1/turns", {"moves": [legal(turn, match=turn["match"]) for turn in turns]})
    assert answer.status_code == 200, answer.text
    results: list[dict[str, Any]] = answer.json["results"]
    return results


def master_of(cluster: ClusteredRedis, match: str) -> str:
    """Return the master that has a match."""
    return cluster.master_of(f"{{{bucket_of(match)}}}")
