"""What owners see of their bots' requests, and bundles of matches: nothing that the bot itself did not get."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from api.app import create_app
from league.watching.service import MOST_BOTS, MOST_OF_OWNER, MOST_REQUESTS, WATCH_MS
from tests.api.conftest import ApiWorld, Person, legal
from tests.web.conftest import LANGUAGES, Visitor
from tests.web.test_leaks import hidden, signed_in

__all__ = ["hidden"]


def page_of(bot: Person) -> str:
    return f"/me/bots/{bot.name.partition('/')[2]}"


def watching(world: ApiWorld, owner: Person, bot: Person) -> Visitor:
    """Return the owner's browser, after it began to watch."""
    visitor = signed_in(world, owner)
    assert visitor.send(f"{page_of(bot)}/requests", f"{page_of(bot)}/watch").status_code == 303
    world.services.watch.tick()
    return visitor


def bundle(visitor: Visitor, bot: Person, match: str) -> list[dict[str, Any]]:
    found = visitor.get(f"{page_of(bot)}/matches/{match}.ndjson")
    assert (found.status_code, found.mimetype) == (200, "application/x-ndjson"), found.text
    return [json.loads(line) for line in found.text.splitlines()]


def two_players(world: ApiWorld) -> tuple[list[Person], list[Person], str]:
    """Two owners whose bots play each other and have made some moves, with notes."""
    owners = [world.owner(), world.owner()]
    bots = [world.bot(owner) for owner in owners]
    match = world.match(bots[0], None)["id"]
    assert bots[1]("POST", f"/v1/matches/{match}/join", {}).status_code == 200
    for _ in range(3):
        for number, bot in enumerate(bots):
            for turn in bot.turns():
                bot.move(turn, note=f"plan of player {number}")
    return owners, bots, match


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_owner_sees_requests_with_turns_moves_times_and_refusals(world: ApiWorld, language: str) -> None:
    owner = world.owner()
    bot = world.bot(owner)
    match = world.match(bot)["id"]
    bot("GET", "/v1/turns")
    visitor = watching(world, owner, bot)
    visitor.language = language
    assert "GET /v1/turns" not in visitor.page(f"{page_of(bot)}/requests")
    turn = bot("GET", "/v1/turns").json["turns"][0]
    bot("POST", f"/v1/matches/{match}/moves", {"turn": turn["turn"], "move": "attack 2C"})
    bot("POST", "/v1/turns", {"moves": [{"match": match, "turn": turn["turn"], "move": "nonsense"}]})
    world.services.watch.tick()
    page = visitor.page(f"{page_of(bot)}/requests")
    assert 'hx-trigger="every 2s"' in page
    assert page.count('<th scope="row"') == 3
    assert "attack 2C" in page
    assert page.count("tag bad") == 2
    assert match in page
    assert bot.token not in page


@pytest.mark.parametrize("origin", ["", "https://class.example"])
def test_moves_that_are_made_are_logged_too(world: ApiWorld, origin: str) -> None:
    """Flask answers the requests of pages of other origins."""
    services = replace(world.services, cors_origins=frozenset(["https://class.example"]))
    services.watch = world.services.watch
    app = create_app(services)
    owner = world.owner()
    bot = world.bot(owner)
    match = world.match(bot)["id"]
    turn = world.turn(bot)
    watching(world, owner, bot)
    sender, body = replace(bot, client=app.test_client()), legal(turn)
    headers = {"Origin": origin} if origin else {}
    made = sender("POST", f"/v1/matches/{match}/moves", body, headers=headers)
    assert made.status_code == 200, made.text
    services.watch.tick()
    (logged,) = services.watch.requests(bot.id)
    assert (logged.method, logged.status) == ("POST", 200)
    assert json.loads(logged.received)["move"] == body["move"]


def test_a_request_is_logged_in_the_time_of_the_watch_only_and_the_last_are_kept(
    world: ApiWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = world.owner()
    bot, watch = world.bot(owner), world.services.watch
    requests = f"{page_of(bot)}/requests"

    def logged(number: int = 1) -> int:
        for _ in range(number):
            bot("POST", "/v1/turns", {"moves": []})
        watch.tick()
        return len(watch.requests(bot.id))

    visitor = watching(world, owner, bot)
    assert visitor.send(requests, f"{page_of(bot)}/unwatch").status_code == 303
    watch.tick()
    assert logged() == 0
    watching(world, owner, bot)
    assert (logged(), logged(MOST_REQUESTS + 5)) == (1, MOST_REQUESTS)
    later = watch.now() + WATCH_MS + 1
    monkeypatch.setattr(watch, "now", lambda: later)
    watch.tick()
    last = watch.requests(bot.id)
    logged()
    assert watch.requests(bot.id) == last
    assert "hx-trigger" not in visitor.page(requests)


def test_only_a_bounded_number_of_bots_is_watched_at_once(world: ApiWorld) -> None:
    owner = world.owner()
    bot = world.bot(owner)
    mine = world.services.accounts.bot_by_id(bot.id)
    for number in range(MOST_BOTS):
        world.services.watch.begin(mine._replace(id=f"bot-{number}"))
    sent = signed_in(world, owner).send(f"{page_of(bot)}/requests", f"{page_of(bot)}/watch")
    assert sent.status_code >= 400
    assert 'role="alert"' in sent.text


def test_an_owner_watches_so_many_bots_and_leaves_room_for_others(world: ApiWorld) -> None:
    owner = world.owner()
    visitor = signed_in(world, owner)
    bots = [world.bot(owner) for _ in range(MOST_OF_OWNER + 1)]
    pages = [page_of(bot) for bot in bots]
    sent = [visitor.send(f"{page}/requests", f"{page}/watch").status_code for page in pages]
    assert sent == [303] * MOST_OF_OWNER + [422]
    assert visitor.send(f"{pages[0]}/requests", f"{pages[0]}/watch").status_code == 303
    another = world.owner()
    watching(world, another, world.bot(another))


def test_nobody_else_sees_the_requests_of_a_bot(world: ApiWorld) -> None:
    owners, bots, match = two_players(world)
    watching(world, owners[0], bots[0])
    for visitor in (signed_in(world, owners[1]), signed_in(world, world.owner())):
        for path in ("/requests", f"/matches/{match}.ndjson"):
            assert visitor.get(page_of(bots[0]) + path).status_code == 404
        assert visitor.send("/me", f"{page_of(bots[0])}/watch").status_code == 404
    owner = world.owner()
    page = page_of(world.bot(owner))
    for unseen in (match, "nonsense"):
        assert signed_in(world, owner).get(f"{page}/matches/{unseen}.ndjson").status_code == 404
    stranger = Visitor(world.app.test_client())
    for path in ("/requests", f"/matches/{match}.ndjson"):
        assert stranger.get(page_of(bots[0]) + path).status_code == 303


def test_a_bundle_has_what_its_seat_saw_and_nothing_else(world: ApiWorld) -> None:
    owners, bots, match = two_players(world)
    hands = [set(bot("GET", f"/v1/matches/{match}").json["observation"]["hand"]) for bot in bots]
    for number, (owner, bot) in enumerate(zip(owners, bots, strict=True)):
        lines = bundle(signed_in(world, owner), bot, match)
        assert lines[0]["match"]["seat"] == number
        frames = [line["frame"] for line in lines if line["type"] == "frame"]
        assert len(frames) > 4
        text = json.dumps(frames)
        assert '"hands"' not in text
        assert f"plan of player {number}" in text
        assert f"plan of player {1 - number}" not in text
        last = dict[str, Any]()
        for frame in frames:
            last = {**frame["observation"]} if "observation" in frame else {**last, **frame["changes"]}
        assert set(last["hand"]) == hands[number]
        secret = hands[1 - number] - set(last["known"][1 - number])
        assert not secret & set(last["hand"])


def test_a_bundle_has_the_logged_requests_of_its_match_alone(world: ApiWorld) -> None:
    owner = world.owner()
    bot = world.bot(owner)
    visitor = watching(world, owner, bot)
    matches = [world.match(bot)["id"], world.match(bot)["id"]]
    for match in matches:
        view = bot("GET", f"/v1/matches/{match}").json
        bot("POST", f"/v1/matches/{match}/moves", {"turn": view["turn"], "move": "nonsense"})
    world.services.watch.tick()
    for match in matches:
        requests = [each["request"] for each in bundle(visitor, bot, match) if each["type"] == "request"]
        assert [each["target"] for each in requests] == [f"/v1/matches/{match}/moves"]
        assert requests[0]["status"] >= 400


def test_a_bundle_of_a_hidden_group_hides_the_other_names(
    world: ApiWorld, hidden: tuple[list[Person], list[str], str]
) -> None:
    owners, matches, _ = hidden
    for owner in owners:
        (bot,) = owner("GET", f"/v1/bots?owner={owner.name}").json["bots"]
        person = Person(world.client, bot["bot"], "", bot["id"])
        others = [other.name for other in owners if other is not owner]
        for match in matches:
            text = json.dumps(bundle(signed_in(world, owner), person, match))
            assert not [name for name in others if name in text]
