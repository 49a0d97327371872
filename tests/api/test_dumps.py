"""`/v1/dumps`: what bots saw over HTTP is what a dump says they saw, and files download like any static file."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pyarrow.parquet as pq
import pytest
import zstandard
from click.testing import CliRunner
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from api.services import Limits
from engine.registry import GAMES
from kozyr.cli.main import main
from league.accounts.service import wall_clock
from league.container.options import ContainerOptions
from records.instants import ms_of
from redisio.connection import Redis
from referee.archive.objects import ObjectStore
from referee.dumps.months import end_of, month_of
from referee.dumps.writer import GRACE_MS
from referee.proofs.proof import SigningKey
from tests.api.conftest import HOUSE, PEPPER, ApiContainer, ApiWorld, Person, refused, world_of
from tests.support.league import RecordedJobs

IMMUTABLE = "public, max-age=31536000, immutable"


class MovableWallClock:
    """The wall clock, which a test can move on."""

    def __init__(self) -> None:
        self.ahead = 0

    def __call__(self) -> int:
        return wall_clock() + self.ahead


class DumpedWorld(NamedTuple):
    """An API whose matches can be dumped."""

    api: ApiWorld
    container: ApiContainer
    clock: MovableWallClock
    folder: Path

    @property
    def client(self) -> FlaskClient:
        return self.api.client

    def dumped(self, month: str) -> None:
        """Move the clock behind this month, archive all matches and write the dump."""
        self.clock.ahead = end_of(month) + GRACE_MS + 60_000 - wall_clock()
        while self.container.archive_after(1, partial=True):
            pass
        while self.container.write_dump():
            pass

    def files(self, month: str) -> dict[str, Any]:
        """Return the files of a dump by name, as the list has them."""
        (dump,) = [each for each in self.client.get("/v1/dumps").json["dumps"] if each["month"] == month]
        return {file["name"]: file for file in dump["files"]}

    def get(self, month: str, name: str, **headers: str) -> TestResponse:
        return self.client.get(
            f"/v1/dumps/{month}/{name}",
            headers={header.replace("_", "-"): text for header, text in headers.items()},
        )


@pytest.fixture
def dumped(redis_url: str, tmp_path: Path) -> Iterator[DumpedWorld]:
    redis, clock, folder = Redis(redis_url), MovableWallClock(), tmp_path / "archive"
    redis.run([("FLUSHALL",)])
    services = ApiContainer(
        ContainerOptions(
            connect=lambda: redis,
            secret=PEPPER,
            signing_key=lambda: SigningKey(b"k" * 32),
            jobs=RecordedJobs,
            archive=lambda: ObjectStore(folder),
            hot_ms=1000,
            players=HOUSE,
            thinkers={},
            now=clock,
        ),
        Limits(max_wait_s=2.0),
    )
    yield DumpedWorld(world_of(services), services, clock, folder)
    redis.close()


MOST_MOVES = 60


def play(bots: dict[int, Person], match: str, rng: Random) -> list[dict[str, Any]]:
    """Play a match at random, and resign after `MOST_MOVES`. Return each move with the turn that its bot had got.

    The referee moves for bots that resigned while others have yet to.
    """
    made = list[dict[str, Any]]()
    while len(made) < MOST_MOVES:
        answers = {seat: bot("GET", "/v1/turns").json for seat, bot in bots.items()}
        if any(each["match"] == match for answer in answers.values() for each in answer["finished"]):
            return made
        open_turns = [(seat, turn) for seat, answer in answers.items() for turn in answer["turns"]]
        for seat, turn in [each for each in open_turns if each[1]["match"] == match][:1]:
            seen = turn["observation"]
            move = rng.choice(seen["legal_moves"] + seen["free_moves"])
            free = move not in seen["legal_moves"]
            key = {"deal": turn["deal"]} if free else {"turn": turn["turn"]}
            body = {**key, "move": move, "note": f"I play {move}"}
            response = bots[seat]("POST", f"/v1/matches/{match}/moves", body)
            assert response.status_code == 200, response.text
            made.append({**turn, "move": move, "turn": None if free else turn["turn"]})
    for bot in bots.values():
        bot("POST", f"/v1/matches/{match}/resign")
    return made


def played(world: DumpedWorld, game: str) -> tuple[str, list[dict[str, Any]]]:
    """Play a match, and return its id and what the bots saw."""
    table = GAMES[game]
    owner = world.api.owner()
    bots = {seat: world.api.bot(owner) for seat in range(min(table.seat_counts))}
    options = {"turn_limit": 50} if "turn_limit" in table.option_schemas else {}
    deals = {} if table.fixed_deals else {"deals": 2}
    others = [bot.name for bot in list(bots.values())[1:]]
    match = world.api.match(bots[0], *others, game=game, options=options, **deals)
    return match["id"], play(bots, match["id"], Random(game))


def table(answer: TestResponse) -> list[dict[str, Any]]:
    assert (answer.status_code, answer.mimetype) == (200, "application/vnd.apache.parquet")
    found: list[dict[str, Any]] = pq.read_table(io.BytesIO(answer.data)).to_pylist()
    return found


def test_a_dump_shows_each_seat_exactly_what_its_turns_showed_it(dumped: DumpedWorld) -> None:
    seen = dict(played(dumped, game) for game in sorted(GAMES))
    before = {match: dumped.client.get(f"/v1/matches/{match}/record").json for match in seen}
    months = sorted({month_of(ms_of(record["ended"])) for record in before.values()})
    dumped.dumped(months[-1])
    decisions, records = list[dict[str, Any]](), list[dict[str, Any]]()
    for month in months:
        decisions += table(dumped.get(month, f"decisions-{month}.parquet"))
        lines = dumped.get(month, f"records-{month}.ndjson.zst")
        assert lines.mimetype == "application/zstd"
        text = zstandard.ZstdDecompressor().stream_reader(lines.data).read()
        records += [json.loads(line) for line in text.splitlines()]
    for match, made in seen.items():
        own = [row for row in decisions if row["match"] == match]
        assert [row["made_by"] for row in own[len(made) :]] == ["forfeit"] * (len(own) - len(made))
        for row, turn in zip(own[: len(made)], made, strict=True):
            assert json.loads(row["observation"]) == turn["observation"]
            assert {name: row[name] for name in ("deal", "seat", "turn", "move")} == {
                name: turn[name] for name in ("deal", "seat", "turn", "move")
            }
            assert (row["made_by"], row["note"]) == ("player", f"I play {turn['move']}")
    for record in records:
        served = before.pop(record["id"])
        unsigned = {
            name: value for name, value in served["proof"].items() if name not in ("key", "signature")
        }
        assert record == {**served, "proof": unsigned}
    assert before == {}


@pytest.fixture
def month(dumped: DumpedWorld) -> str:
    """The month of a dump with one match."""
    match, _ = played(dumped, "durak")
    found = month_of(ms_of(dumped.client.get(f"/v1/matches/{match}/record").json["ended"]))
    dumped.dumped(found)
    return found


def test_the_list_names_files_sizes_and_checksums(dumped: DumpedWorld, month: str) -> None:
    answer = dumped.client.get("/v1/dumps")
    assert answer.json["license"] == "CC0-1.0"
    (dump,) = answer.json["dumps"]
    assert (dump["month"], dump["matches"], dump["late"]) == (month, 1, 0)
    assert {file["name"] for file in dump["files"]} == {
        f"records-{month}.ndjson.zst",
        f"matches-{month}.parquet",
        f"decisions-{month}.parquet",
        f"endings-{month}.ndjson",
        "README.md",
        "SHA256SUMS",
    }
    for file in dump["files"]:
        got = dumped.client.get(file["href"])
        assert (len(got.data), hashlib.sha256(got.data).hexdigest()) == (file["size"], file["sha256"])
        assert got.headers["Content-Length"] == str(file["size"])
        assert got.headers["ETag"].removeprefix("W/") == f'"{file["sha256"]}"'
        assert got.headers["Accept-Ranges"] == "bytes"
        assert file["kind"] not in ("card", "sums") or got.mimetype.startswith("text/")
        more = "" if file["kind"] in ("card", "sums") else ", no-transform"
        assert got.headers["Cache-Control"] == IMMUTABLE + more
        zipped = dumped.client.get(file["href"], headers={"Accept-Encoding": "gzip"})
        assert more == "" or zipped.data == got.data
    unchanged = dumped.client.get("/v1/dumps", headers={"If-None-Match": answer.headers["ETag"]})
    assert unchanged.status_code == 304


def test_a_file_is_sent_in_parts_once_and_to_nobody_who_has_it(dumped: DumpedWorld, month: str) -> None:
    name = f"decisions-{month}.parquet"
    whole, file = dumped.get(month, name).data, dumped.files(month)[name]
    for text, start, stop in (
        ("bytes=0-3", 0, 4),
        ("bytes=10-", 10, len(whole)),
        ("bytes=-4", len(whole) - 4, len(whole)),
        (f"bytes=0-{len(whole) + 5}", 0, len(whole)),
        (f"bytes=-{len(whole) + 5}", 0, len(whole)),
        (f"bytes={len(whole) - 1}-", len(whole) - 1, len(whole)),
    ):
        part = dumped.get(month, name, Range=text)
        assert (part.status_code, part.data) == (206, whole[start:stop])
        assert part.headers["Content-Range"] == f"bytes {start}-{stop - 1}/{len(whole)}"
        assert part.headers["Content-Length"] == str(stop - start)
    several = ("bytes=0-1,4-5", f"bytes=0-1,{len(whole)}-")
    for text in (*several, "lines=0-1", "bytes=x", "bytes=5-3", "bytes=", "bytes=--1", "bytes=-0"):
        got = dumped.get(month, name, Range=text)
        assert (got.status_code, got.data) == (200, whole)
    here = f'"{file["sha256"]}"'
    for headers, status, data in (
        ({"Range": "bytes=0-3", "If_Range": '"another"'}, 200, whole),
        ({"Range": "bytes=0-3", "If_Range": here}, 206, whole[:4]),
        ({"If_None_Match": here}, 304, b""),
    ):
        got = dumped.get(month, name, **headers)
        assert (got.status_code, got.data) == (status, data)
    head = dumped.client.head(file["href"])
    assert (head.status_code, head.data) == (200, b"")
    assert head.headers["Content-Length"] == str(len(whole))
    for text in ("bytes=0-3", f"bytes={len(whole)}-"):
        ranged = dumped.client.head(file["href"], headers={"Range": text})
        assert (ranged.status_code, ranged.headers["Content-Length"]) == (200, str(len(whole)))


@pytest.mark.parametrize("kind", ["decisions-{}.parquet", "README.md"])
def test_a_range_without_a_byte_of_the_file_is_refused_with_its_size(
    dumped: DumpedWorld, month: str, kind: str
) -> None:
    name = kind.format(month)
    file = dumped.files(month)[name]
    size = file["size"]
    for text in (f"bytes={size}-", f"bytes={size}-{size + 5}", "bytes=99999999999999999999-"):
        got = dumped.get(month, name, Range=text)
        refused(got, 416, "range_not_satisfiable")
        assert got.headers["Content-Range"] == f"bytes */{size}"
        assert "immutable" not in got.headers.get("Cache-Control", "")
    # Conditions come first (RFC 9110, 13.2.2).
    other = dumped.get(month, name, Range=f"bytes={size}-", If_Range='"another"')
    assert (other.status_code, len(other.data)) == (200, size)
    known = dumped.get(month, name, Range=f"bytes={size}-", If_None_Match=f'"{file["sha256"]}"')
    assert known.status_code == 304


def test_other_names_are_not_found(dumped: DumpedWorld, month: str) -> None:
    for place in (
        f"{month}/nothing.parquet",
        "1999-01/README.md",
        f"{month}/..%2f..%2fsegments",
        f"work/{month}",
        f"{month}/%00",
    ):
        refused(dumped.client.get(f"/v1/dumps/{place}"), 404, "not_found")


def test_a_file_of_an_archive_that_is_away_may_be_asked_for_again(dumped: DumpedWorld, month: str) -> None:
    dumped.folder.rename(dumped.folder.with_name("away"))
    refused(dumped.get(month, f"matches-{month}.parquet"), 503, "store_unavailable")


def test_registration_says_that_records_are_public(world: ApiWorld) -> None:
    document = world.client.get("/openapi.json").json
    for text in (document["info"]["description"], document["paths"]["/v1/owners"]["post"]["description"]):
        assert "CC0-1.0" in text
    assert "(v1/dumps)" in world.client.get("/llms.txt").text
    assert "CC0-1.0" in CliRunner().invoke(main, ["register", "--help"]).output


def test_a_service_without_an_archive_has_no_dumps(world: ApiWorld) -> None:
    assert world.client.get("/v1/dumps").json == {"license": "CC0-1.0", "dumps": []}
    refused(world.client.get("/v1/dumps/2025-11/README.md"), 404, "not_found")
