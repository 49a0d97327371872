"""No request for a list examines more than the bound, and its cursors find everything once.

The routes, their filters and the shape of their pages come from the API's own document. A new list is tested
automatically; for a new filter, add a value that few entries match.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import count
from typing import Any, NamedTuple

import orjson
import pytest

from api.contract import spec
from league.ladders.model import Round
from league.ladders.settings import LadderSettings
from league.operators.audit import AuditActor
from records.match.loaded_match import LoadedMatch
from records.match.session import Ending, Seat
from records.results.group_result import GroupResult, ResultPlayer, SideResult
from redisio.scripts import Command
from referee.storage import paging
from tests.api.conftest import ADMIN_TOKEN, ApiWorld, refused
from tests.api.contract import inlined

BOUND = 5
MANY = 40
"""Entries of each list, most of which no filter lets through."""
MOST_READ = 6 * BOUND
"""Redis reads of one request: the order of a list, its entries, and what is shown of them, well below `MANY`."""
PRESET = "durak/2"
NO_CURSOR = {
    "/v1/admins": "at most `paging.MOST_EXAMINED` tokens of admins",
    "/v1/bots/{owner}/{bot}/regret": "one entry for each game",
    "/v1/bots/{owner}/{bot}/statistics": "16 clocks a day, for 30 days",
    "/v1/bots/{owner}/{bot}/ratings": "one for each preset",
    "/v1/bots/{owner}/{bot}/ratings/versions": "the versions in its last 1000 groups",
    "/v1/checks/{match}": "one match",
    "/v1/dumps": "one for each month",
    "/readyz": "one line for each process of the service at most",
    "/v1/games": "four games",
    "/v1/games/{game}": "one game",
    "/v1/keys": "the keys of the operator",
    "/v1/ladders/{ladder}": "at most `league.ladders.settings.MOST_ORGANISERS` owners",
    "/v1/ladders/{ladder}/access": "at most `league.ladders.access.MOST_RULES` rules",
    "/v1/ladders/{ladder}/bracket": "the entries of one ladder",
    "/v1/ladders/{ladder}/names": "the entries of one ladder",
    "/v1/ladders/{ladder}/export": "the entries of one ladder",
    "/v1/ladders/{ladder}/schedule": "the next few dates",
    "/v1/ladders/{ladder}/seasons/{number}": "the entries of one ladder",
    "/v1/ladders/{ladder}/seasons/{number}/results": "at most `league.ladders.published.MOST_VERSIONS` versions",
    "/v1/matches/{match}": "one match",
    "/v1/matches/{match}/events": "one match",
    "/v1/matches/{match}/facts": "one match",
    "/v1/matches/{match}/frames": "one match",
    "/v1/matches/{match}/record": "one match",
    "/v1/matches/{match}/review": "at most `records.reviews.model.MOST_DECISIONS` moves of one match",
    "/v1/matches/{match}/ending": "the legal moves of one position",
    "/v1/models": "at most `league.models.MOST_LINES` models",
    "/v1/owners/me": "200 bots",
    "/v1/presets": "one for each table and options that rated ladders have played",
    "/v1/token": "the scopes that there are",
    "/v1/tokens": "at most `paging.MOST_EXAMINED` tokens of a bot or owner",
    "/v1/webhooks": "at most `league.notifications.service.MOST_WEBHOOKS` of one owner",
    "/v1/webhooks/{webhook}": "the events that there are",
    "/v1/webhooks/{webhook}/deliveries": "the last 100 messages of one webhook",
    "/v1/turns": "the matches that one bot plays",
}
"""Why the other routes with a list in their answer need no cursor."""


class Listing(NamedTuple):
    """A list of the API."""

    path: str
    field: str | None
    """Where a page has its entries; `None`: one a line."""
    filters: tuple[str, ...]
    limit: int
    """The largest there is."""


@pytest.fixture
def document(world: ApiWorld) -> Mapping[str, Any]:
    return spec.openapi(world.app)


def arrays(document: Mapping[str, Any]) -> Iterator[tuple[str, str | None, bool, Mapping[str, Any]]]:
    """Return every GET with a list: path, name of the list, whether it has a cursor, and the operation."""
    schemas = document["components"]["schemas"]
    for path, item in inlined(document).items():
        response = item.get("get", {}).get("responses", {}).get("200", {})
        for kind, content in response.get("content", {}).items():
            fields = schemas.get(content["schema"].get("$ref", "").rpartition("/")[2], {}).get(
                "properties", {}
            )
            lists = [name for name, each in fields.items() if each.get("type") == "array"]
            if kind == "application/json" and lists:
                yield path, lists[-1], "cursor" in fields, item["get"]
            elif kind == "application/x-ndjson" and len(response["content"]) == 1:
                yield path, None, "Kozyr-Cursor" in response.get("headers", {}), item["get"]


def listings(document: Mapping[str, Any]) -> list[Listing]:
    found = []
    for path, field, has_cursor, operation in arrays(document):
        if has_cursor:
            query = {each["name"]: each for each in operation["parameters"] if each["in"] == "query"}
            filters = tuple(name for name in query if name not in ("cursor", "limit", "excel"))
            found.append(Listing(path, field, filters, query["limit"]["schema"]["maximum"]))
    return found


@pytest.fixture
def league(world: ApiWorld) -> dict[str, str]:
    """Create `MANY` entries in every list, most of them matched by no filter. Return names by path parameter."""
    services, owner = world.services, world.owner()
    bots = [world.bot(owner) for _ in range(MANY)]
    bot, lonely = bots[0], bots[1]
    one, other = Seat(bot.name, bot.id, "1"), Seat("house/random", "house-random", "1", True)
    for number in range(MANY):
        loaded = services.referee.create("durak", [one, None], {})
        if number:
            services.referee.abort(loaded.id)
        services.referee.create("durak", [one, None], {})
    played = services.referee.create("durak", [one, other], {}, present=True)
    services.referee.resign(played.id, bot.id)
    for number in range(MANY):
        with services.administration.audit.act(AuditActor("t", "o"), "void", f"match {number}", ""):
            pass
        services.ladders.create(owner.id, LadderSettings(f"Ladder {number}", "durak", 2, rated=False))
    empty = services.ladders.create(owner.id, LadderSettings("An empty ladder", "durak", 2, rated=False))
    ladder = services.ladders.create(owner.id, LadderSettings("The ladder", "durak", 2, rated=False))
    for number, each in enumerate(bots[: BOUND + 1]):
        response = owner("POST", f"/v1/ladders/{ladder.id}/entries", {"bot": each.name})
        assert response.status_code == (200 if number < BOUND else 409), response.text
    for _ in range(MANY):
        with services.administration.audit.act(AuditActor("t", "o"), "void", "", "", ladder=ladder.id):
            pass
    codes = {"count": MANY}
    response = world.client.post(
        "/v1/invitations", json=codes, headers={"Authorization": f"Bearer {ADMIN_TOKEN}"}
    )
    assert response.status_code == 201, response.text
    store, line = services.ladders.store, services.store.redis
    for number in range(1, MANY + 1):
        made = Round(
            ladder.id, number, None, number, (), 1, 0, 0, season=services.ladders.get(ladder.id).season
        )
        store.open_round(made, ["open"])
        line.one("HSET", f"kozyr:{{ladder:{ladder.id}}}:rounds", "running", "")
        services.seasons.end(ladder.id)
    outcomes = []
    for number in range(MANY):
        ids = sorted([(bot.id, bot.name), (f"z{number:03}", f"other/z{number:03}")])
        sides = tuple(SideResult((ResultPlayer(ident, name, "1"),), 0, False) for ident, name in ids)
        outcomes.append(GroupResult(PRESET, f"g{number:03}", 1_000, sides))
    services.ratings.store.add(outcomes)
    services.ratings.catch_up(PRESET)
    return {
        "ladder": ladder.id,
        "empty": empty.id,
        "owner": bot.name.partition("/")[0],
        "bot": bot.name.partition("/")[2],
        "lonely": lonely.name,
        "organiser": owner.token,
    }


def values(league: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the values to try for each filter."""
    return {
        "game": ["king", "durak"],
        "bot": [league["lonely"], f"{league['owner']}/{league['bot']}"],
        "opponent": [league["lonely"], f"{league['owner']}/{league['bot']}"],
        "ladder": [league["empty"], league["ladder"]],
        "status": ["running", "finished", "open"],
        "result": ["forfeit", "resigned", "aborted"],
        "void": ["true", "false"],
        "since": ["2100-01-01T00:00:00Z", "2001-01-01T00:00:00Z"],
        "until": ["2001-01-01T00:00:00Z", "2100-01-01T00:00:00Z"],
        "owner": ["house", league["owner"]],
        "withdrawn": ["true"],
        "action": ["rerun", "void"],
        "target": ["match 0", "match none"],
        "token": ["t", "nobody"],
        "season": ["1"],
        "preset": [PRESET],
    }


def queries(listing: Listing, league: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """Return queries without a filter, and with each value of each filter."""
    known = values(league)
    always = {"preset": PRESET} if "preset" in listing.filters else {}
    yield always
    for name in listing.filters:
        assert name in known, f"{listing.path} has a new filter {name!r}: add values that few entries match"
        for value in known[name]:
            yield {**always, name: value}
    if "result" in listing.filters:
        yield {"bot": known["bot"][1], "result": "forfeit"}


class Reads:
    """Counts the list elements that Redis returns. The fields of one match or round count as one."""

    def __init__(self, world: ApiWorld, monkeypatch: pytest.MonkeyPatch) -> None:
        self.entries = 0
        line = world.services.store.redis
        run = line.run

        def counted(commands: list[Command], **more: Any) -> list[Any]:
            answers = run(commands, **more)
            for command, answer in zip(commands, answers, strict=True):
                one = command[0] == "EVALSHA" or (command[0] == "HMGET" and ":round:" in command[1])
                many = isinstance(answer, list) and not one
                paired = command[0] == "HGETALL" or "WITHSCORES" in command
                self.entries += len(answer) // (2 if paired else 1) if many else 1
            return answers

        monkeypatch.setattr(line, "run", counted)


def walked(
    world: ApiWorld,
    league: Mapping[str, str],
    listing: Listing,
    query: Mapping[str, str],
    each: Callable[[], None],
) -> list[Any]:
    """Return all entries, page by page. `each` is called after every request."""
    address = listing.path.format(**league)
    found: list[Any] = []
    cursor: str | None = None
    is_of_ladder = listing.path == "/v1/audit" and "ladder" in query
    token = league["organiser"] if is_of_ladder else ADMIN_TOKEN
    headers = {"Authorization": f"Bearer {token}"}
    for number in count(1):
        asked = {**query, **({"cursor": cursor} if cursor else {})}
        page = world.client.get(address, query_string=asked, headers=headers)
        assert page.status_code == 200, page.text
        if listing.field is None:
            found += [orjson.loads(line)["id"] for line in page.data.splitlines()]
            cursor = page.headers.get("Kozyr-Cursor")
        else:
            found += page.json[listing.field]
            cursor = page.json["cursor"]
        each()
        if cursor is None:
            return found
        assert number < 1000, "the cursors never end"
    raise AssertionError


def test_no_page_examines_more_than_the_bound_and_cursors_find_everything(
    world: ApiWorld,
    document: Mapping[str, Any],
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    monkeypatch.setattr(paging, "MOST_EXAMINED", BOUND)
    league = request.getfixturevalue("league")
    reads = Reads(world, monkeypatch)
    tried = 0
    for listing in listings(document):
        address = listing.path.format(**league)
        unfiltered = {"preset": PRESET} if "preset" in listing.filters else {}
        everything: list[Any] = []
        for query in queries(listing, league):
            where = f"{address} {query}"
            monkeypatch.setattr(paging, "MOST_EXAMINED", 10**9)
            whole = walked(world, league, listing, {**query, "limit": str(listing.limit)}, lambda: None)
            monkeypatch.setattr(paging, "MOST_EXAMINED", BOUND)
            everything = everything or whole
            # A filter that lets all or next to nothing through gives no other small pages than the whole list.
            is_part = 3 < len(whole) < len(everything)
            for limit in (3, listing.limit) if query == unfiltered or is_part else (listing.limit,):
                reads.entries = 0

                def bounded(where: str = where, limit: int = limit) -> None:
                    # What is shown has been asked for: a page of `limit` entries may read each of them.
                    shown = 2 * min(limit, 1000) if limit > BOUND and not _examines(where) else 0
                    assert reads.entries <= MOST_READ + shown, (
                        f"{where}, limit {limit}: {reads.entries} reads"
                    )
                    reads.entries = 0

                assert walked(world, league, listing, {**query, "limit": str(limit)}, bounded) == whole, where
                tried += 1
        if listing.field != "cells":
            least = BOUND if "entries" in address or "standings" in address else MANY
            query = {**unfiltered, "limit": str(listing.limit)}
            assert len(walked(world, league, listing, query, lambda: None)) >= least, address
    assert tried > 60


def _examines(where: str) -> bool:
    """Return whether this list filters by examining each entry."""
    return any(path in where for path in ("/v1/matches ", "/v1/records ", "/v1/audit "))


def test_a_route_with_a_list_has_a_cursor_or_a_reason_to_need_none(document: Mapping[str, Any]) -> None:
    without = {path for path, _, has_cursor, _ in arrays(document) if not has_cursor}
    assert without == NO_CURSOR.keys()


def test_a_ladder_is_full_at_the_bound(world: ApiWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paging, "MOST_EXAMINED", 2)
    owner = world.owner()
    body = {"name": "A ladder", "game": "durak", "seats": 2, "check": False}
    entries = f"/v1/ladders/{owner('POST', '/v1/ladders', body).json['id']}/entries"
    first, second, third = (world.bot(owner) for _ in range(3))
    for bot in (first, second, first):
        assert owner("POST", entries, {"bot": bot.name}).status_code == 200
    owner("DELETE", f"{entries}/{second.name}")
    refused(owner("POST", entries, {"bot": third.name}), 409, "entry_refused")
    assert owner("POST", entries, {"bot": second.name}).status_code == 200


def test_tokens_of_an_owner_are_bounded_and_expired_ones_make_room(
    world: ApiWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paging, "MOST_EXAMINED", 3)
    owner = world.owner()
    made = [owner("POST", "/v1/tokens", {"note": str(number)}) for number in range(2)]
    assert [each.status_code for each in made] == [201, 201]
    refused(owner("POST", "/v1/tokens", {"note": "one too many"}), 422, "bad_value")
    kept = world.services.accounts
    monkeypatch.setattr(kept, "_now", lambda now=kept._now: now() + 1)
    assert owner("DELETE", f"/v1/tokens/{made[0].json['details']['id']}").status_code == 204
    assert owner("POST", "/v1/tokens", {"note": "room again"}).status_code == 201


def test_a_match_that_ends_between_two_pages_is_not_lost(world: ApiWorld) -> None:
    bot = world.bot()
    seats = [Seat(bot.name, bot.id, "1"), None]
    loaded_matches: list[LoadedMatch] = [world.services.referee.create("durak", seats, {}) for _ in range(9)]
    first = world.client.get("/v1/matches?limit=3").json
    shown = [match["id"] for match in first["matches"]]
    for match in shown:
        gone = world.services.referee.abort(match)
        assert gone is not None
        assert gone.progress.ending is Ending.ABORTED
    rest = world.client.get("/v1/matches?limit=200&status=open").json["matches"]
    second = world.client.get(f"/v1/matches?limit=200&cursor={first['cursor']}").json["matches"]
    assert {loaded.id for loaded in loaded_matches} == {*shown, *(match["id"] for match in second)}
    assert {match["id"] for match in rest} == {loaded.id for loaded in loaded_matches} - set(shown)
