"""Invitations: for whom they are, and who used which."""

from __future__ import annotations

import csv
from collections.abc import Iterator

import pytest

from tests.api.conftest import ApiWorld, Person, refused


@pytest.fixture(autouse=True, params=[True, False], ids=["closed", "open"])
def required(world: ApiWorld, request: pytest.FixtureRequest) -> Iterator[None]:
    """Registration requires an invitation, or is open."""
    accounts = world.services.accounts
    before, accounts.by_invitation = accounts.by_invitation, request.param
    yield
    accounts.by_invitation = before


def test_the_list_says_who_used_which_invitation(world: ApiWorld) -> None:
    admin = world.admin()
    body = {"names": ["Анна", "Борис"], "note": "class 10b", "expires_in_s": 60}
    first, second = admin("POST", "/v1/invitations", body).json["invitations"]
    made = world.client.post("/v1/owners", json={"name": "boris", "invitation": second})
    assert made.status_code == 201
    found = {each["name"]: each for each in admin("GET", "/v1/invitations").json["invitations"]}
    assert {name: each["state"] for name, each in found.items()} == {"Анна": "open", "Борис": "used"}
    assert {name: each["owner"] for name, each in found.items()} == {"Анна": None, "Борис": "boris"}
    assert {each["note"] for each in found.values()} == {"class 10b"}
    assert found["Борис"]["used"] is not None
    assert first not in str(found)
    boris = Person(world.client, "boris", made.json["token"])
    refused(boris("GET", "/v1/invitations"), 403, "scope_missing")
    table = admin("GET", "/v1/invitations", headers={"Accept": "text/csv"}).text
    rows = {row["name"]: row for row in csv.DictReader(table.splitlines())}
    assert (rows["Борис"]["owner"], rows["Анна"]["state"]) == ("boris", "open")


def test_a_forgotten_owner_leaves_no_name_on_the_invitation(world: ApiWorld) -> None:
    admin = world.admin()
    (code,) = admin("POST", "/v1/invitations", {"names": ["Ivan Petrov"]}).json["invitations"]
    world.client.post("/v1/owners", json={"name": "petrov", "invitation": code})
    admin("POST", "/v1/owners/petrov/forget", {"reason": "asked for it"})
    listed = admin("GET", "/v1/invitations").text
    assert "etrov" not in listed
    assert '"state":"used"' in listed


def test_wrong_invitations_create_nothing(world: ApiWorld) -> None:
    admin = world.admin()
    refused(admin("POST", "/v1/invitations", {"names": ["a", "b"], "count": 3}), 422, "bad_value")
    refused(admin("POST", "/v1/invitations", {"names": ["\x1b[1m"]}), 422, "bad_value")
    refused(admin("POST", "/v1/invitations", {"names": [""]}), 422, "invalid_body")
    assert admin("GET", "/v1/invitations").json["invitations"] == []
