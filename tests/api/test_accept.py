"""Content negotiation: CSV tables with fixed columns, and 406 for unsupported content types."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest

from api.contract import spec
from tests.api.conftest import ApiWorld, refused
from tests.api.contract import inlined

CSV = {"Accept": "text/csv"}


def table(world: ApiWorld, path: str) -> tuple[list[str], list[dict[str, str]]]:
    """Return the header and the rows of a table."""
    answer = world.client.get(path, headers=CSV)
    assert (answer.status_code, answer.mimetype) == (200, "text/csv"), answer.text
    found = csv.DictReader(io.StringIO(answer.text))
    return list(found.fieldnames or []), list(found)


def test_an_empty_table_has_the_header_of_a_full_one(world: ApiWorld) -> None:
    owner = world.owner()
    bot, address = world.bot(owner), world.ladder(owner, rated=False)
    paths = ["/v1/matches", f"{address}/rounds", f"{address}/standings", f"{address}/crosstable"]
    empty = [table(world, path) for path in paths]
    assert all(header and not rows for header, rows in empty)
    world.match(bot)
    for name in (bot.name, "house/random"):
        assert owner("POST", f"{address}/entries", {"bot": name}).status_code == 200
    assert owner("POST", f"{address}/rounds").status_code == 201
    full = [table(world, path) for path in paths]
    assert [header for header, _ in full] == [header for header, _ in empty]
    assert [bool(rows) for _, rows in full] == [True, True, True, False]


@pytest.fixture
def played(world: ApiWorld) -> ApiWorld:
    """A world with a ladder that has entries and a round, and a match outside."""
    owner = world.owner()
    bot = world.bot(owner)
    address = world.ladder(owner, bot, "house/random", "house/greedy", rated=False)
    assert owner("POST", f"{address}/rounds").status_code == 201
    world.match(bot)
    return world


def test_every_table_is_a_file_for_spreadsheets(played: ApiWorld) -> None:
    """In UTF-8 with a byte order mark, and with a name."""
    (listed,) = played.client.get("/v1/ladders").json["ladders"]
    kept = {"ladder": listed["id"], "owner": "house", "bot": "random"}
    found = {}
    for verb, path, each in operations(played):
        if verb != "get" or "text/csv" not in each["responses"]["200"].get("content", {}):
            continue
        assert "excel" in {parameter["name"] for parameter in each["parameters"]}, path
        if each["security"] or "{match}" in path or "preset" in {one["name"] for one in each["parameters"]}:
            continue
        address = path.format(**kept)
        plain = played.client.get(address, headers=CSV)
        answer = played.client.get(f"{address}?excel=1", headers={"Accept": "text/html,*/*;q=0.8"})
        assert (answer.status_code, answer.mimetype) == (200, "text/csv"), path
        assert answer.data == b"\xef\xbb\xbf" + plain.data, path
        assert played.client.get(f"{address}?excel=0").mimetype == "application/json"
        assert played.client.get(f"{address}?excel=1&other=1").status_code == 422, path
        found[path] = {each.headers["Content-Disposition"] for each in (plain, answer)}
    name = f'attachment; filename="ladders-{listed["id"]}-entries.csv"'
    assert found["/v1/ladders/{ladder}/entries"] == {name}
    assert found["/v1/bots/{owner}/{bot}/ratings"] == {'attachment; filename="bots-house-random-ratings.csv"'}
    assert {"/v1/bots", "/v1/presets", "/v1/ladders", "/v1/ladders/{ladder}/seasons"} <= found.keys()
    past = played.client.get(f"/v1/ladders/{listed['id']}/standings?excel=1&season=1")
    assert past.headers["Content-Disposition"].endswith('-standings-season-1.csv"')


@pytest.mark.parametrize("first", ["=", "+", "-", "@"])
def test_a_spreadsheet_runs_no_name_as_a_formula(world: ApiWorld, first: str) -> None:
    owner = world.owner()
    body = {"name": f"{first}1+1", "game": "durak", "seats": 2, "description": f"{first}2;{first}3;4"}
    assert owner("POST", "/v1/ladders", body).status_code == 201
    _, (row,) = table(world, "/v1/ladders")
    assert (row["name"], row["description"]) == (f"'{first}1+1", f"'{first}2;'{first}3;4")


def test_no_cell_holds_json(played: ApiWorld) -> None:
    (listed,) = played.client.get("/v1/ladders").json["ladders"]
    lists = [f"ladders/{listed['id']}/{each}" for each in ("entries", "seasons", "rounds", "standings")]
    for path in ("bots", "ladders", "matches", *lists):
        _, rows = table(played, f"/v1/{path}")
        assert rows, path
        assert not [
            cell for row in rows for cell in row.values() if cell.startswith(("{", "[")) or '"' in cell
        ]
    _, (first,) = table(played, "/v1/ladders")
    assert "transfer=false" in first["options"].split("; ")


def operations(world: ApiWorld) -> list[tuple[str, str, dict[str, Any]]]:
    found = inlined(spec.openapi(world.app)).items()
    return [(verb, path, each) for path, item in found for verb, each in item.items() if verb != "parameters"]


def test_every_path_refuses_unsupported_content_types(world: ApiWorld) -> None:
    owner, tried = world.owner(), 0
    answer = owner("POST", "/v1/bots", {"name": "a-bot"}, headers=CSV)
    refused(answer, 406, "not_acceptable")
    assert owner("GET", "/v1/owners/me").json["bots"] == [], "it has no effect"
    for verb, path, operation in operations(world):
        statuses = operation["responses"]
        kinds = [kind for status in statuses if status < "4" for kind in statuses[status].get("content", {})]
        if not kinds:
            continue
        known = {"{number}": "1", "{action}": "pause", "{change}": "disable"}
        address = "/".join(known.get(part, part.strip("{}")) for part in path.split("/"))
        headers = {"Authorization": "Bearer x", "Accept": "image/png, text/html;q=0.5"}
        problem = refused(
            world.client.open(address, method=verb.upper(), headers=headers), 406, "not_acceptable"
        )
        assert problem["supported"] == list(dict.fromkeys(kinds)), path
        assert "406" in statuses, path
        tried += 1
    assert tried > 60


@pytest.mark.parametrize("page", ["/docs/", "/docs/problems"])
def test_documentation_pages_are_html_only(world: ApiWorld, page: str) -> None:
    refused(world.client.get(page, headers={"Accept": "application/json"}), 406, "not_acceptable")
    found = world.client.get(page, headers={"Accept": "text/*"})
    assert found.status_code == 200
    assert 'name="viewport"' in found.text
    assert 'rel="icon"' in found.text


@pytest.mark.parametrize(
    ("accept", "kind"),
    [
        ("*/*", "application/json"),
        ("", "application/json"),
        ("text/*", "text/csv"),
        ("text/csv;q=0.5, application/json", "application/json"),
        ("text/csv, application/json;q=0.9", "text/csv"),
        ("text/csv; charset=utf-8", "text/csv"),
        ("application/json;q=0, */*", "text/csv"),
        ("image/png, */*;q=0.1", "application/json"),
        ("application/json;q=0", None),
        ("image/*", None),
    ],
)
def test_the_preferred_content_type_is_chosen(world: ApiWorld, accept: str, kind: str | None) -> None:
    answer = world.client.get("/v1/matches", headers={"Accept": accept})
    if kind is None:
        refused(answer, 406, "not_acceptable")
    else:
        assert (answer.status_code, answer.mimetype) == (200, kind)
