"""Records over HTTP carry their proofs, and the service publishes its keys."""

from __future__ import annotations

import json
from typing import Any

from cryptography.hazmat.primitives.serialization import load_pem_public_key

from records.verify import Neighbours, check_proof, verify
from tests.api.conftest import ApiWorld


def finished(world: ApiWorld, count: int) -> list[str]:
    """Play this number of matches and return their ids."""
    bot = world.bot()
    found = []
    for _ in range(count):
        match = world.match(bot)["id"]
        world.turn(bot)
        bot("POST", f"/v1/matches/{match}/resign")
        found.append(match)
    return found


def keys(world: ApiWorld) -> Any:
    return world.client.get("/v1/keys").json


def test_a_record_verifies_with_the_published_key(world: ApiWorld) -> None:
    assert keys(world)["records"] == 0  # from now on the key is in use
    (match,) = finished(world, 1)
    record = world.client.get(f"/v1/matches/{match}/record").json
    response = keys(world)
    (key,) = response["keys"]
    assert verify(record) == [] == check_proof(record, [key["key"]])
    assert (response["algorithm"], response["records"], response["link"]) == (
        "Ed25519",
        1,
        record["proof"]["link"],
    )
    pem: Any = load_pem_public_key(key["pem"].encode())
    assert pem.public_bytes_raw().hex() == key["key"] == record["proof"]["key"]
    assert (key["since"], key["in_use"]) == (0, True)


def test_the_stream_has_the_same_proofs_as_the_single_answers(world: ApiWorld) -> None:
    matches = finished(world, 3)
    alone = world.client.get(f"/v1/matches/{matches[2]}/record").json
    lines = [json.loads(line) for line in world.client.get("/v1/records").text.splitlines()]
    assert sorted(one["id"] for one in lines) == sorted(matches)
    assert alone in lines
    seen = Neighbours()
    assert not [found for one in lines for found in check_proof(one, [alone["proof"]["key"]]) + seen.add(one)]
    assert seen.gaps(keys(world)["records"]) == []
