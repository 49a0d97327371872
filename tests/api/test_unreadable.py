"""An unreadable match is omitted from lists, counted and logged once, and breaks nothing else."""

from __future__ import annotations

import logging

import orjson
import pytest

from referee.storage.packing import pack, unpack
from referee.storage.redis import keys_of
from tests.api.conftest import ApiWorld, Person, refused


def damage(world: ApiWorld, match: str, stored: bytes) -> None:
    world.services.store.redis.one("SET", keys_of(match)[6], stored)


def played(world: ApiWorld, bot: Person) -> str:
    """Return a finished match."""
    match = str(world.match(bot)["id"])
    assert bot("POST", f"/v1/matches/{match}/resign").status_code == 200
    return match


def of_another_game(world: ApiWorld, match: str) -> bytes:
    config, progress, secret, log = unpack(world.services.store.redis.one("GET", keys_of(match)[6]))
    return pack(config._replace(game="bridge"), progress, secret, log)


@pytest.mark.parametrize(
    "kind", ["an unknown format", "cut short", "not JSON", "one changed byte", "an unknown game"]
)
def test_lists_omit_an_unreadable_match_and_serve_the_rest(
    world: ApiWorld, caplog: pytest.LogCaptureFixture, kind: str
) -> None:
    bot = world.bot()
    before, bad, after = (played(world, bot) for _ in range(3))
    whole = world.services.store.redis.one("GET", keys_of(bad)[6])
    stored = {
        "an unknown format": b"\x03" + whole[1:],
        "cut short": whole[:20],
        "not JSON": b"\x01\x03\x00",
        "one changed byte": whole[:40] + bytes([whole[40] ^ 1]) + whole[41:],
        "an unknown game": of_another_game(world, bad),
    }
    count = world.services.store.unreadable.count
    damage(world, bad, stored[kind])
    with caplog.at_level(logging.ERROR, logger="referee.storage.packing"):
        for query in ("", f"bot={bot.name}", "game=durak", "result=aborted", "status=finished", "limit=1"):
            ids, cursor = [], ""
            while cursor is not None:
                page = world.client.get(f"/v1/matches?{query}{cursor and '&cursor=' + cursor}").json
                ids += [match["id"] for match in page["matches"]]
                cursor = page["cursor"]
            assert sorted(ids) == sorted([before, after]), query
        records = world.client.get("/v1/records").data.splitlines()
        assert sorted(orjson.loads(line)["id"] for line in records) == sorted([before, after])
        finished = bot("GET", "/v1/turns").json["finished"]
        assert sorted(each["match"] for each in finished) == sorted([before, after])
    assert world.services.store.unreadable.count == count + 1
    assert [bad in record.getMessage() for record in caplog.records] == [True]
    assert "kozyr_unreadable_matches_total" in world.metrics()


def test_an_unreadable_match_has_its_own_problem_code(world: ApiWorld) -> None:
    bot = world.bot()
    match = played(world, bot)
    damage(world, match, b"\x02")
    for path in ("", "/events", "/record"):
        refused(world.client.get(f"/v1/matches/{match}{path}"), 500, "match_unreadable")
    refused(bot("POST", f"/v1/matches/{match}/resign"), 500, "match_unreadable")
    refused(world.client.get(f"/v1/matches/{'00' + 'a' * 26}"), 404, "no_such_match")
