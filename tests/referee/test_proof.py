"""Proofs of records: canonical JSON, digest, chain, signature, and the findings if one doesn't fit."""

from __future__ import annotations

import copy
import hashlib
import json
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from records.chain import GENESIS, canonical, digest
from records.verify import Neighbours, check_proof, verify
from redisio.connection import Redis
from referee.proofs.proof import Proofs, SigningKey
from referee.proofs.redis import RedisChain
from tests.referee.test_verify import UNSEEN
from tests.referee.world import World, at_once

KEY = SigningKey(bytes(range(32)))


@pytest.fixture
def chain(any_redis: Redis) -> RedisChain:
    return RedisChain(any_redis)


def a_record(name: str, **more: Any) -> dict[str, Any]:
    return {"format": 1, "id": name, "moves": [{"seat": None, "move": "deal"}], **more}


def test_canonical_json_is_sorted_shortest_and_in_utf_8() -> None:
    record = {
        "b": [1, True, None, 'é\n\u0001\u007f"\\/🂡'],
        "a": {"y": -5, "x": {}},
        "proof": 1,
        "annotations": [],
    }
    assert canonical(record) == (
        '{"a":{"x":{},"y":-5},"b":[1,true,null,"é\\n\\u0001\u007f\\"\\\\/🂡"]}'.encode()
    )
    by_json = json.dumps(
        {name: record[name] for name in "ab"}, sort_keys=True, separators=(",", ":"), ensure_ascii=False
    )
    assert canonical(record) == by_json.encode()


def test_a_link_is_the_hash_of_the_one_before_and_the_digest_and_the_signature_is_of_both() -> None:
    """Computes the proof independently from its description."""

    class Memory:
        def __init__(self) -> None:
            self.at: dict[str, Any] = {}

        def append(self, digests: Any) -> None:
            raise AssertionError

        def signed_by(self, key: str) -> Any:
            return [(key, 0)]

        def links(self, matches: Any) -> Any:
            from records.chain import Link, chained

            return [Link(1, GENESIS, chained(GENESIS, digest(a_record("x"))))]

    (proven,) = Proofs(Memory(), KEY).proven([a_record("x")])  # type: ignore[arg-type]  # as much as it needs
    proof = proven["proof"]
    whole = b'{"format":1,"id":"x","moves":[{"move":"deal","seat":null}]}'
    link = hashlib.sha256(bytes(32) + hashlib.sha256(whole).digest()).digest()
    assert (proof["number"], proof["previous"], proof["link"]) == (1, "00" * 32, link.hex())
    key = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
    message = b"kozyr-chain-1\x00" + (1).to_bytes(8, "big") + link
    assert proof["signature"] == key.sign(message).hex()
    assert proof["key"] == key.public_key().public_bytes_raw().hex()


def test_records_are_numbered_in_order_of_arrival_for_good(chain: RedisChain) -> None:
    proofs = Proofs(chain, KEY)
    records = [a_record(name) for name in "abc"]
    assert chain.head() is None
    chain.append({"b": digest(records[1])})
    first = proofs.proven(records)
    assert [one["proof"]["number"] for one in first] == [2, 1, 3]
    chain.append({one["id"]: digest(one) for one in records})
    assert proofs.proven(records) == first
    assert Proofs(RedisChain(chain.redis), KEY).proven(records) == first
    head = chain.head()
    assert head is not None
    assert (head.number, head.link.hex()) == (3, first[2]["proof"]["link"])
    seen = Neighbours()
    assert not [found for one in first for found in check_proof(one, [KEY.public]) + seen.add(one)]
    assert seen.gaps() == []


def test_concurrent_processes_make_one_chain(any_redis: Redis) -> None:
    chains = [RedisChain(any_redis) for _ in range(8)]
    records = [a_record(f"match {number}") for number in range(80)]
    tasks = []
    for nth, chain in enumerate(chains):
        mine = {one["id"]: digest(one) for one in records[nth * 7 : nth * 7 + 24]}
        tasks.append(lambda chain=chain, mine=mine: chain.append(mine))
    assert at_once(*tasks) == [None] * 8
    seen = Neighbours()
    for one in Proofs(chains[0], KEY).proven(records[:73]):
        assert not check_proof(one, [KEY.public]) + seen.add(one)
    assert seen.gaps(73) == []
    head = chains[0].head()
    assert head is not None
    assert head.number == 73


def test_a_writer_recovers_from_a_lost_chain(chain: RedisChain) -> None:
    chain.append({"a": digest(a_record("a"))})
    chain.redis.run([("DEL", "kozyr:{chain}:numbers", "kozyr:{chain}:links")])
    RedisChain(chain.redis).append({"b": digest(a_record("b"))})
    (proven,) = Proofs(chain, KEY).proven([a_record("c")])
    assert check_proof(proven, [KEY.public]) == []
    assert proven["proof"]["number"] == 2


def test_a_new_key_signs_all_records_and_the_old_one_is_still_listed(chain: RedisChain) -> None:
    old, new = Proofs(chain, KEY), Proofs(chain, SigningKey(b"n" * 32))
    assert old.public_keys() == [(KEY.public, 0)]
    before = old.proven([a_record("a")])[0]["proof"]
    assert new.public_keys() == [(KEY.public, 0), (new.key.public, 1)]
    after = new.proven([a_record("a")])[0]
    assert {**before, "key": "", "signature": ""} == {**after["proof"], "key": "", "signature": ""}
    assert check_proof(after, [name for name, _ in new.public_keys()]) == []
    assert [found.where for found in check_proof(after, [KEY.public])] == ["proof.key"]
    assert old.public_keys() == new.public_keys()


# Proofs that don't fit


@pytest.fixture
def proven(chain: RedisChain) -> list[dict[str, Any]]:
    return Proofs(chain, KEY).proven([a_record(name) for name in "abcd"])


@pytest.mark.parametrize(
    ("name", "value", "where"),
    [
        ("number", 3, "proof.signature"),
        ("number", "2", "proof.number"),
        ("number", 0, "proof.number"),
        ("previous", "11" * 32, "proof.link"),
        ("link", "11" * 32, "proof.link"),
        ("link", "1", "proof.link"),
        ("key", "11" * 32, "proof.key"),
        ("signature", "11" * 64, "proof.signature"),
        ("signature", "11" * 63, "proof.signature"),
        ("more", 1, "proof.more"),
    ],
)
def test_a_changed_proof_is_found(proven: list[dict[str, Any]], name: str, value: object, where: str) -> None:
    record = copy.deepcopy(proven[1])
    record["proof"][name] = value
    assert where in {found.where for found in check_proof(record, [KEY.public])}


def test_the_hash_is_checked_even_without_a_key(proven: list[dict[str, Any]]) -> None:
    assert check_proof({**proven[0], "proof": {**proven[0]["proof"], "signature": "00" * 64}}, []) == []
    assert [found.where for found in check_proof({**proven[0], "format": 2}, [])] == ["proof.link"]


def test_a_removed_record_leaves_a_gap_or_broken_link(proven: list[dict[str, Any]], any_redis: Redis) -> None:
    seen = Neighbours()
    for one in (proven[0], proven[3], proven[2]):
        assert seen.add(one) == []
    assert seen.gaps() == [(2, 2)]
    assert seen.gaps(9) == [(2, 2), (5, 9)]
    # Somebody with the key rebuilds the chain without the second record.
    any_redis.run([("DEL", "kozyr:{chain}:numbers", "kozyr:{chain}:links")])
    rebuilt = Proofs(RedisChain(any_redis), KEY).proven([a_record(name) for name in "acd"])
    seen = Neighbours()
    assert not seen.add(proven[0]) + seen.add(rebuilt[0]) + seen.add(proven[1])
    assert [found.where for found in seen.add(rebuilt[2])] == ["proof.previous"]
    assert [found.where for found in seen.add(rebuilt[1])] == ["proof.number"]


def test_the_signature_shows_what_verification_can_not(world: World, any_redis: Redis) -> None:
    from records.match.clock import ClockRule
    from tests.referee.world import house, remote

    match = world.match(
        [remote(0), remote(1), remote(2), house("dice")], clock=ClockRule(1_000, 3_000, 0, 250, 3)
    )
    (record,) = Proofs(RedisChain(any_redis), KEY).proven(
        [world.referee.record(world.play_out(match)).to_json()]
    )
    assert verify(record) == [] == check_proof(record, [KEY.public])
    for name, change in UNSEEN.items():
        doctored = copy.deepcopy(record)
        change(doctored)
        if name in ("what stands beside it", "a bot's name") or doctored == record:
            continue
        assert [found.where for found in check_proof(doctored, [KEY.public])] == ["proof.link"], name


def seated(name: str, ident: str = "b1") -> dict[str, Any]:
    return a_record("x", seats=[{"bot": name, "id": ident, "version": "1"}])


def test_a_renamed_bot_breaks_no_proof_but_another_bot_does(chain: RedisChain) -> None:
    (proven,) = Proofs(chain, KEY).proven([seated("alpha/one")])
    renamed = {**proven, "seats": seated("beta/two")["seats"]}
    assert check_proof(renamed, [KEY.public]) == []
    other = {**proven, "seats": seated("alpha/one", "b2")["seats"]}
    assert [finding.where for finding in check_proof(other, [KEY.public])] == ["proof.link"]


def test_annotations_are_not_signed(proven: list[dict[str, Any]]) -> None:
    assert check_proof({**proven[0], "annotations": [{"kind": "void"}]}, [KEY.public]) == []
