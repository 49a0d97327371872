"""docs/shuffles.md, implemented from the page alone and tested with its vectors and with real records.

The first part imports nothing of this project, like a verifier that somebody else writes.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

PAGE = (Path(__file__).parents[2] / "docs" / "shuffles.md").read_text(encoding="utf-8")


def given(name: str) -> Any:
    """Return the JSON of a block of the page."""
    found = re.search(rf"^```json {name}\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    assert found is not None, name
    return json.loads(found[1])


def sha256(*parts: bytes) -> bytes:
    return hashlib.sha256(b"".join(parts)).digest()


def words(secret: bytes, entropy: list[str | None], n: int) -> Iterator[int]:
    mixed = b""
    for text in entropy:
        raw = b"" if text is None else text.encode()
        mixed += len(raw).to_bytes(4, "big") + raw
    seed = sha256(b"kozyr-shuffle-1\0", secret, n.to_bytes(4, "big"), mixed)
    block = 0
    while True:
        data = sha256(seed, block.to_bytes(8, "big"))
        yield from (int.from_bytes(data[at : at + 4], "big") for at in range(0, 32, 4))
        block += 1


def below(k: int, source: Iterator[int]) -> int:
    limit = 2**32 - 2**32 % k
    return next(word for word in source if word < limit) % k


def deck(secret: bytes, entropy: list[str | None], n: int, lowest_rank: str, suits: str = "CDHS") -> str:
    ranks = "23456789TJQKA"
    cards = [rank + suit for rank in ranks[ranks.index(lowest_rank) :] for suit in "CDHS"]
    source = words(secret, entropy, n)
    for i in range(len(cards) - 1, 0, -1):
        j = below(i + 1, source)
        cards[i], cards[j] = cards[j], cards[i]
    return " ".join(card[0] + suits["CDHS".index(card[1])] for card in cards)


def canonical(record: dict[str, Any]) -> bytes:
    rest = {name: value for name, value in record.items() if name not in ("proof", "annotations")}
    rest["seats"] = [{name: seat[name] for name in seat if name != "bot"} for seat in rest["seats"]]
    return json.dumps(rest, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


def check_proof(record: dict[str, Any]) -> None:
    """Raise an error if the proof doesn't fit the record."""
    proof = record["proof"]
    link = sha256(bytes.fromhex(proof["previous"]), sha256(canonical(record)))
    assert proof["link"] == link.hex()
    message = b"kozyr-chain-1\0" + proof["number"].to_bytes(8, "big") + link
    key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(proof["key"]))
    key.verify(bytes.fromhex(proof["signature"]), message)


# From here on the tests compare the page with the service.

from api.schemas.league.ladders import EntrySchema  # noqa: E402
from api.schemas.matches import JoinSchema  # noqa: E402
from engine.cards import CARD_TEXT  # noqa: E402
from engine.registry import GAMES  # noqa: E402
from records.verify import check_proof as proof_findings  # noqa: E402
from records.verify import verify  # noqa: E402
from referee.proofs.proof import Proofs, SigningKey  # noqa: E402
from referee.proofs.redis import RedisChain  # noqa: E402
from tests.referee.stories import Plot, grouped, played  # noqa: E402
from tests.referee.world import ManualClock, World, short  # noqa: E402


@pytest.mark.parametrize("vector", given("commitments"), ids=lambda vector: vector["id"])
def test_commitments(vector: dict[str, str]) -> None:
    assert sha256(bytes.fromhex(vector["secret"]), vector["id"].encode()).hex() == vector["commitment"]


@pytest.mark.parametrize(
    "vector", given("decks"), ids=lambda vector: f"{vector['game']}-{vector['lowest_rank']}"
)
def test_decks(vector: dict[str, Any]) -> None:
    secret, entropy = bytes.fromhex(vector["secret"]), vector["entropy"]
    made = deck(secret, entropy, vector["deal"], vector["lowest_rank"], vector.get("suits", "CDHS"))
    assert made == vector["deck"]
    assert below(vector["seats"], words(secret, entropy, 0)) == vector["dealer"]


def test_the_page_has_a_deck_for_every_pack_with_and_without_entropy() -> None:
    vectors = given("decks")
    packs = {(vector["game"], vector["lowest_rank"]) for vector in vectors}
    for name, game in GAMES.items():
        ranks = game.option_schemas.get("lowest_rank", {}).get("enum", [None])
        for rank in ranks:
            table = game.table(game.seat_counts[0], {} if rank is None else {"lowest_rank": rank})
            assert (name, CARD_TEXT[table.pack[0]][0]) in packs
    texts = [text for vector in vectors for text in vector["entropy"]]
    assert None in texts
    assert any(text and len(text) == 128 for text in texts)
    assert {'"', "\\"} <= {letter for text in texts for letter in text or ""}, (
        "the page has texts that JSON escapes"
    )
    assert any("suits" in vector for vector in vectors)


def test_the_api_accepts_every_entropy_on_the_page() -> None:
    seen = [vector["entropy"] for vector in given("decks")] + [given("record")["shuffle"]["entropy"]]
    for text in {text for entropy in seen for text in entropy}:
        assert EntrySchema().load({"bot": "example/fool", "entropy": text})["entropy"] == text
        assert JoinSchema().load({"entropy": text})["entropy"] == text
    for refused in ("", "a b", "соль", "x" * 129):
        assert EntrySchema().validate({"bot": "example/fool", "entropy": refused})


def test_the_signed_record() -> None:
    record = given("record")
    seed = re.search(r"seed `([0-9a-f]{64})`", PAGE)
    published = re.search(r"digest is\n`([0-9a-f]{64})`, of (\d+) bytes", PAGE)
    assert seed is not None
    assert published is not None
    key = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(seed[1])).public_key().public_bytes_raw().hex()
    assert record["proof"]["key"] == key
    check_proof(record)
    assert (sha256(canonical(record)).hex(), len(canonical(record))) == (published[1], int(published[2]))
    assert verify(record) == [] == proof_findings(record, [key])


@pytest.mark.parametrize("game", list(GAMES))
def test_the_service_follows_the_page(world: World, clock: ManualClock, game: str) -> None:
    seats = GAMES[game].seat_counts[-1]
    plot = Plot(game, seats, entropy=("соль", *[None] * (seats - 1)), late=0.3, **short(game))
    table = GAMES[game].table(seats, {})
    records = [
        played(world, clock, plot),
        grouped(world, clock, plot._replace(deals=None), table.suit_symmetries()[-1], seats + 1),
    ]
    for record in Proofs(RedisChain(world.redis), SigningKey(b"k" * 32)).proven(records):
        published, n = record["shuffle"], 0
        secret = bytes.fromhex(published["secret"])
        if published["dealer"] == "drawn":
            assert record["dealer"] == below(seats, words(secret, published["entropy"], 0))
        lowest = CARD_TEXT[table.pack[0]][0]
        for move in record["moves"]:
            if move["seat"] is None:
                n += 1
                made = deck(secret, published["entropy"], n, lowest, published.get("suits", "CDHS"))
                assert move["move"] == f"deal {made}"
        check_proof(record)
