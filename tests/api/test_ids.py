"""Ids can be neither guessed nor counted."""

from __future__ import annotations

import math
import re

import pytest

from tests.api.conftest import ApiWorld

LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"
FORMS = {
    "owner": r"o[a-km-np-z2-9]{16}",
    "bot": r"b[a-km-np-z2-9]{16}",
    "token": r"t[a-km-np-z2-9]{16}",
    "ladder": r"l[a-km-np-z2-9]{16}",
    "match": r"[0-6][0-9][a-km-np-z2-9]{26}",
    "request": r"[0-9a-f]{20}",
}
AT_LEAST_BITS = 80


def made(world: ApiWorld, number: int, *, keyed: bool) -> dict[str, str]:
    """Create one of everything; with `keyed`, by requests that differ only in their sender."""
    key = {"Idempotency-Key": "the-very-same-key-each-time"} if keyed else {}
    owner = world.owner()
    bot = owner("POST", "/v1/bots", {"name": f"bot-{number}"}, headers=key).json
    token = owner("POST", "/v1/tokens", {"bot": f"bot-{number}"}, headers=key).json
    ladder = owner(
        "POST", "/v1/ladders", {"name": f"ladder {number}", "game": "durak", "seats": 2}, headers=key
    )
    match = owner("POST", "/v1/matches", {"game": "durak", "seats": ["house/random", None]}, headers=key)
    assert (ladder.status_code, match.status_code) == (201, 201), ladder.text
    return {
        "owner": owner.id,
        "bot": bot["bot"]["id"],
        "token": token["details"]["id"],
        "ladder": ladder.json["id"],
        "match": match.json["id"],
        "request": match.headers["X-Request-Id"],
    }


@pytest.mark.parametrize("keyed", [False, True])
def test_ids_are_long_random_and_unique(world: ApiWorld, keyed: bool) -> None:
    found = [made(world, number, keyed=keyed) for number in range(12)]
    for what, form in FORMS.items():
        ids = [each[what] for each in found]
        assert all(re.fullmatch(form, ident) for ident in ids), (what, ids[0])
        assert len(set(ids)) == len(ids)
        begins = 2 if what == "match" else 0 if what == "request" else 1
        bits = 4 if what == "request" else math.log2(len(LETTERS))
        assert (len(ids[0]) - begins) * bits >= AT_LEAST_BITS
        # A count or a clock in it would give places where all of them are alike.
        alike = [place for place in range(begins, len(ids[0])) if len({ident[place] for ident in ids}) == 1]
        assert not alike, (what, alike)


def test_a_token_has_a_hundred_and_thirty_random_bits(world: ApiWorld) -> None:
    tokens = [world.bot().token for _ in range(12)]
    assert all(re.fullmatch(r"kozyr_[a-km-np-z2-9]{32}", token) for token in tokens)
    secrets = [token.removeprefix("kozyr_")[:26] for token in tokens]
    assert len(secrets[0]) * math.log2(len(LETTERS)) >= 128
    assert all(len({secret[place] for secret in secrets}) > 1 for place in range(26))
