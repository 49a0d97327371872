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


def test_an_annotation_does_not_change_the_proof(world: ApiWorld) -> None:
    (match,) = finished(world, 1)
    before = world.client.get(f"/v1/matches/{match}/record").json
    world.services.referee.void(match, "our disk was full")
    after = world.client.get(f"/v1/matches/{match}/record").json
    assert [json.loads(line) for line in world.client.get("/v1/records?void=true").text.splitlines()] == [
        after
    ]
    assert world.client.get("/v1/records?void=false").text == ""
    assert after.pop("annotations")
    assert after == before


def test_records_alone_and_in_a_stream_verify_with_the_published_key(world: ApiWorld) -> None:
    assert (keys(world)["records"], keys(world)["link"]) == (0, "00" * 32)  # from now on the key is in use
    matches = finished(world, 3)
    records = [world.client.get(f"/v1/matches/{match}/record").json for match in matches]
    lines = [json.loads(line) for line in world.client.get("/v1/records").text.splitlines()]
    assert sorted(lines, key=lambda line: line["proof"]["number"]) == records
    response, seen = keys(world), Neighbours()
    (key,) = response["keys"]
    for record in records:
        assert verify(record) == [] == check_proof(record, [key["key"]])
        assert seen.add(record) == []
    assert seen.gaps(response["records"]) == []
    last = records[-1]["proof"]
    assert (response["algorithm"], response["records"], response["link"]) == ("Ed25519", 3, last["link"])
    pem: Any = load_pem_public_key(key["pem"].encode())
    assert pem.public_bytes_raw().hex() == key["key"] == last["key"]
    assert (key["since"], key["in_use"]) == (0, True)
