"""Nobody is put at a table against what it accepts."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from tests.api.conftest import ApiWorld, Person

QUICK = {"move_ms": 1000, "bank_ms": 0}


def bot(world: ApiWorld, owner: Person | None = None, **accepts: Any) -> Person:
    """A bot that accepts this."""
    owner = owner or world.owner()
    made = world.bot(owner)
    said = owner("PATCH", f"/v1/bots/{made.name}", {"match_policy": accepts})
    assert said.status_code == 200, said.text
    assert {name: said.json["match_policy"][name] for name in accepts} == accepts
    return made


def name_of(person: Person) -> str:
    """Of a bot's owner."""
    return person.name.partition("/")[0]


def refused(said: Any, reason: str, who: Person) -> None:
    assert said.status_code == 409, said.text
    assert (said.json["code"], said.json["reason"], said.json["bot"]) == ("bot_unavailable", reason, who.name)
    assert "max_matches" in said.json["match_policy"]


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


def test_what_it_does_accept_it_is_challenged_to(world: ApiWorld) -> None:
    me = world.bot()
    other = bot(
        world,
        games=["durak"],
        min_move_ms=1000,
        min_bank_ms=0,
        kinds=["casual"],
        owners=[name_of(me)],
    )
    assert challenge(me, me.name, other.name, clock=QUICK).status_code == 201


def test_who_is_refused_by_name_can_not_challenge_from_outside_either(world: ApiWorld) -> None:
    stranger = world.owner()
    one, other = bot(world, excluded_owners=[stranger.name]), world.bot()
    refused(challenge(stranger, one.name, other.name), "owner", one)
    assert challenge(other, one.name, other.name).status_code == 201


def test_a_bot_is_bound_by_its_own_word_in_its_own_challenges(world: ApiWorld) -> None:
    me, other = bot(world, owners=["house"]), world.bot()
    refused(challenge(me, me.name, other.name), "owner", me)
    assert challenge(me, me.name, "house/random").status_code == 201
    owner = world.owner()
    mine, also_mine = bot(world, owner, owners=[]), bot(world, owner, owners=[])
    assert challenge(mine, mine.name, also_mine.name).status_code == 201


def test_who_joins_accepts_those_who_sit_there_and_they_the_one_who_joins(world: ApiWorld) -> None:
    me = bot(world, excluded_owners=["nobody-here"])
    picky, disliked = bot(world, excluded_owners=[name_of(me)]), world.bot()
    match = challenge(me, me.name, None, None).json["id"]
    refused(picky("POST", f"/v1/matches/{match}/join"), "owner", picky)
    hater = bot(world, excluded_owners=[name_of(disliked)])
    assert hater("POST", f"/v1/matches/{match}/join").status_code == 200
    refused(disliked("POST", f"/v1/matches/{match}/join"), "owner", hater)
    assert world.bot()("POST", f"/v1/matches/{match}/join").status_code == 200


def test_no_more_matches_than_it_accepts_however_many_ask_at_once(world: ApiWorld) -> None:
    other = bot(world, max_matches=3)
    askers = [world.bot() for _ in range(8)]
    said: list[Any] = []
    barrier = threading.Barrier(len(askers))

    def ask(me: Person) -> None:
        client = world.app.test_client()
        barrier.wait()
        said.append(
            Person(client, me.name, me.token)(
                "POST", "/v1/matches", {"game": "durak", "seats": [me.name, other.name]}
            )
        )

    threads = [threading.Thread(target=ask, args=(me,)) for me in askers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(one.status_code for one in said) == [201] * 3 + [409] * 5
    refused(next(one for one in said if one.status_code == 409), "busy", other)
    match = next(one for one in said if one.status_code == 201).json["id"]
    assert other("POST", f"/v1/matches/{match}/resign").status_code == 200
    me = askers[0]
    assert challenge(me, me.name, other.name).status_code == 201


def test_a_place_is_free_again_when_the_match_is_refused(world: ApiWorld) -> None:
    me = bot(world, max_matches=1)
    assert challenge(me, me.name, "house/random", options={"no": 1}).status_code == 422
    busy = bot(world, max_matches=1)
    assert challenge(busy, busy.name, "house/random").status_code == 201
    refused(challenge(me, me.name, busy.name), "busy", busy)
    assert challenge(me, me.name, "house/random").status_code == 201


def test_a_duplicate_group_is_made_of_bots_that_accept_it_and_have_room_for_all_of_it(
    world: ApiWorld,
) -> None:
    me, picky, busy = (
        world.bot(),
        bot(world, excluded_owners=["house"], min_move_ms=2000),
        bot(world, max_matches=1),
    )
    for other, reason in ((picky, "clock"), (busy, "busy")):
        body = {"kind": "rotated", "game": "durak", "bots": [me.name, other.name], "clock": QUICK}
        refused(me("POST", "/v1/groups", body), reason, other)
    assert (
        busy("POST", "/v1/matches", {"game": "durak", "seats": [busy.name, "house/random"]}).status_code
        == 201
    )
    body = {"kind": "rotated", "game": "durak", "bots": [me.name, world.bot().name]}
    assert me("POST", "/v1/groups", body).status_code == 201


def test_the_same_request_again_takes_no_second_place(world: ApiWorld) -> None:
    me = bot(world, max_matches=1)
    body = {"game": "durak", "seats": [me.name, "house/random"]}
    said = [me("POST", "/v1/matches", body, headers={"Idempotency-Key": "k"}).json["id"] for _ in range(2)]
    assert said[0] == said[1]


def test_a_ladder_says_what_an_entry_does_not_accept(world: ApiWorld) -> None:
    owner = world.owner()
    ladder = owner(
        "POST", "/v1/ladders", {"name": "L", "game": "durak", "seats": 2, "clock": QUICK, "check": False}
    ).json["id"]
    for match_policy, reason in (
        ({"games": ["king"]}, "game"),
        ({"min_move_ms": 2000}, "clock"),
        ({"kinds": ["casual"]}, "kind"),
    ):
        entrant = bot(world, owner, **match_policy)
        said = owner("POST", f"/v1/ladders/{ladder}/entries", {"bot": entrant.name})
        assert (said.status_code, said.json["code"], said.json["reason"]) == (409, "entry_refused", reason)
        assert said.json["match_policy"].items() >= match_policy.items()
    assert owner("POST", f"/v1/ladders/{ladder}/entries", {"bot": world.bot(owner).name}).status_code == 200
    other = world.owner()
    picky = bot(world, other, excluded_owners=[owner.name])
    said = other("POST", f"/v1/ladders/{ladder}/entries", {"bot": picky.name})
    assert (said.json["code"], said.json["reason"]) == ("entry_refused", "owner")
