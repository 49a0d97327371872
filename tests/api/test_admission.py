"""No bot is seated against its match policy."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from tests.api.conftest import ApiWorld, Person

QUICK = {"move_ms": 1000, "bank_ms": 0}


def bot(world: ApiWorld, owner: Person | None = None, **accepts: Any) -> Person:
    """Create a bot with this match policy."""
    owner = owner or world.owner()
    made = world.bot(owner)
    response = owner("PATCH", f"/v1/bots/{made.name}", {"match_policy": accepts})
    assert response.status_code == 200, response.text
    assert {name: response.json["match_policy"][name] for name in accepts} == accepts
    return made


def name_of(person: Person) -> str:
    """Return the name of the bot's owner."""
    return person.name.partition("/")[0]


def refused(response: Any, reason: str, who: Person) -> None:
    assert response.status_code == 409, response.text
    found = response.json
    assert (found["code"], found["reason"], found["bot"]) == ("bot_unavailable", reason, who.name)
    assert "max_matches" in response.json["match_policy"]


def challenge(by: Person, *seats: str | None, **more: Any) -> Any:
    return by("POST", "/v1/matches", {"game": "durak", "seats": list(seats), **more})


@pytest.mark.parametrize(
    ("match_policy", "reason"),
    [
        ({"games": ["king"]}, "game"),
        ({"min_move_ms": 1001}, "clock"),
        ({"min_bank_ms": 1}, "clock"),
        ({"kinds": ["ladder"]}, "kind"),
        ({"owners": ["house"]}, "owner"),
        ({"owners": []}, "owner"),
    ],
)
def test_a_bot_is_not_challenged_to_what_it_does_not_accept(
    world: ApiWorld, match_policy: dict[str, Any], reason: str
) -> None:
    me, other = world.bot(), bot(world, **match_policy)
    refused(challenge(me, me.name, other.name, clock=QUICK), reason, other)
    assert me("GET", "/v1/matches").json["matches"] == []


def test_an_excluded_owner_cannot_challenge_from_outside_either(world: ApiWorld) -> None:
    stranger = world.owner()
    one, other = bot(world, excluded_owners=[stranger.name]), world.bot()
    refused(challenge(stranger, one.name, other.name), "owner", one)
    assert challenge(other, one.name, other.name).status_code == 201


def test_a_bots_match_policy_applies_to_its_own_challenges(world: ApiWorld) -> None:
    me, other = bot(world, owners=["house"]), world.bot()
    refused(challenge(me, me.name, other.name), "owner", me)
    assert challenge(me, me.name, "house/random").status_code == 201
    owner = world.owner()
    mine, also_mine = bot(world, owner, owners=[]), bot(world, owner, owners=[])
    assert challenge(mine, mine.name, also_mine.name).status_code == 201


def test_a_joining_bot_and_the_seated_bots_must_accept_each_other(world: ApiWorld) -> None:
    me = bot(world, excluded_owners=["nobody-here"])
    picky, disliked = bot(world, excluded_owners=[name_of(me)]), world.bot()
    match = challenge(me, me.name, None, None).json["id"]
    refused(picky("POST", f"/v1/matches/{match}/join"), "owner", picky)
    hater = bot(world, excluded_owners=[name_of(disliked)])
    assert hater("POST", f"/v1/matches/{match}/join").status_code == 200
    refused(disliked("POST", f"/v1/matches/{match}/join"), "owner", hater)
    assert world.bot()("POST", f"/v1/matches/{match}/join").status_code == 200


def test_concurrent_challenges_never_exceed_the_match_limit(world: ApiWorld) -> None:
    other = bot(world, max_matches=3)
    askers = [world.bot() for _ in range(8)]
    responses: list[Any] = []
    barrier = threading.Barrier(len(askers))

    def ask(me: Person) -> None:
        client = world.app.test_client()
        barrier.wait()
        responses.append(challenge(Person(client, me.name, me.token), me.name, other.name))

    threads = [threading.Thread(target=ask, args=(me,)) for me in askers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(one.status_code for one in responses) == [201] * 3 + [409] * 5
    refused(next(one for one in responses if one.status_code == 409), "busy", other)
    match = next(one for one in responses if one.status_code == 201).json["id"]
    assert other("POST", f"/v1/matches/{match}/resign").status_code == 200
    me = askers[0]
    assert challenge(me, me.name, other.name).status_code == 201


def test_a_refused_match_releases_its_slot(world: ApiWorld) -> None:
    me = bot(world, max_matches=1)
    assert challenge(me, me.name, "house/random", options={"no": 1}).status_code == 422
    busy = bot(world, max_matches=1)
    assert challenge(busy, busy.name, "house/random").status_code == 201
    response = challenge(me, me.name, busy.name)
    refused(response, "busy", busy)
    assert response.json["detail"] == f"{busy.name} already plays its maximum of matches (1)"
    assert challenge(me, me.name, "house/random").status_code == 201


def test_a_duplicate_group_needs_bots_that_accept_it_and_have_slots_for_all_matches(
    world: ApiWorld,
) -> None:
    me, busy = world.bot(), bot(world, max_matches=1)
    picky = bot(world, excluded_owners=["house"], min_move_ms=2000)
    for other, reason in ((picky, "clock"), (busy, "busy")):
        body = {"kind": "rotated", "game": "durak", "bots": [me.name, other.name], "clock": QUICK}
        refused(me("POST", "/v1/groups", body), reason, other)
    assert challenge(busy, busy.name, "house/random").status_code == 201
    body = {"kind": "rotated", "game": "durak", "bots": [me.name, world.bot().name]}
    assert me("POST", "/v1/groups", body).status_code == 201


def test_a_policy_names_games_that_exist(world: ApiWorld) -> None:
    owner = world.owner()
    entrant = bot(world, owner, games=["king"])
    address = f"/v1/bots/{entrant.name}"
    before = owner("GET", address).json
    response = owner("PATCH", address, {"match_policy": {"games": ["king", "durack"]}})
    assert (response.status_code, response.json["code"]) == (422, "bad_value")
    assert (response.json["field"], '"durack"' in response.json["detail"]) == ("match_policy.games", True)
    assert owner("GET", address).json == before


def test_a_ladder_says_why_a_bot_does_not_accept_it(world: ApiWorld) -> None:
    owner, other = world.owner(), world.owner()
    entries = f"{world.ladder(owner, world.bot(owner))}/entries"
    for match_policy, reason in (
        ({"games": ["king"]}, "game"),
        ({"kinds": ["casual"]}, "kind"),
        ({"excluded_owners": [owner.name]}, "owner"),
    ):
        entrant = bot(world, other, **match_policy)
        response = other("POST", entries, {"bot": entrant.name})
        assert (response.json["code"], response.json["reason"]) == ("entry_refused", reason)
        assert response.json["match_policy"].items() >= match_policy.items()
