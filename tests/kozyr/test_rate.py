"""`kozyr rate`: the same records give the same ratings, in any order and in every run."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner, Result

from kozyr.cli.main import main
from tests.support.played import record

HERE = Path(__file__).parent
RECORDS = HERE / "rate.ndjson"
EXPECTED = json.dumps(json.loads((HERE / "rate.json").read_text()), ensure_ascii=False) + "\n"


def rate(*arguments: str, records: str | bytes | None = None) -> Result:
    return CliRunner().invoke(main, ["rate", "--from", "-", *arguments], input=records or RECORDS.read_text())


def lines(*records: dict[str, object]) -> str:
    return "".join(json.dumps(each) + "\n" for each in records)


def test_the_test_vector() -> None:
    """A change of `rate.json`, which this command once wrote, would change the rating of every bot."""
    assert rate("--json").stdout == EXPECTED


@pytest.mark.parametrize("hash_seed", ["0", "1", "4242"])
def test_bit_for_bit_the_same_from_shuffled_records_in_any_run(hash_seed: str, tmp_path: Path) -> None:
    shuffled = RECORDS.read_text().splitlines(keepends=True)
    Random(hash_seed).shuffle(shuffled)
    source = tmp_path / "records.ndjson"
    source.write_text("".join(shuffled))
    result = subprocess.run(
        [sys.executable, "-m", "kozyr.cli.main", "rate", "--json", "--from", str(source)],
        env={"PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(HERE.parent.parent)},
        capture_output=True,
        check=True,
    )
    assert result.stdout.decode() == EXPECTED


def test_only_rated_matches_count_unless_casual_is_given() -> None:
    casual = lines(record(["a/x", "b/y"], [0, -1], ident="m", rated=False))
    assert json.loads(rate("--json", records=casual).stdout)["presets"] == []
    assert json.loads(rate("--json", "--casual", records=casual).stdout)["counted"] == 1


@pytest.mark.parametrize(
    ("records", "expected"),
    [
        ("{\n", "line 1 of <stdin> is not a record: "),
        ("\n[1]\n", "line 2 of <stdin> is not a record: 'list'"),
        (b"\xff\xff\n", "line 1 of <stdin> is not a record: 'utf-8' codec can't decode"),
        ("[" * 100_000, "line 1 of <stdin> is not a record: "),
        (
            lines({**record(["a/x", "b/y"], [0, -1], ident="m"), "seats": ["a/x"]}),
            "record 1 (m): 'str' object",
        ),
        (lines({"id": "m"}), "record 1 (m): 'ending' is missing"),
        (
            lines(
                record(["a/x", "b/y"], [0, -1], ident="m"),
                record(["a/x", "b/y"], [-1, 0], ident="m"),
            ),
            "record 2 (m): match m came before with other contents",
        ),
    ],
)
def test_a_wrong_line_is_reported_with_its_number(records: str | bytes, expected: str) -> None:
    result = rate(records=records)
    assert result.exit_code == 2
    assert expected in result.output


def test_skipped_records_are_reported_with_the_reason() -> None:
    counted = record(["a/x", "b/y"], [0, -1], ident="m", rated=True)
    others = [
        {**counted, "id": "n", "ending": "aborted"},
        {
            **counted,
            "id": "o",
            "annotations": [{"at": counted["ended"], "kind": "void", "reason": "an outage"}],
        },
        {**counted, "id": "p", "rated": False},
        {**counted, "id": "q", "rated": False},
        {"id": "r", "format": 2},
    ]
    ended = rate("--json", records=lines(counted, *others))
    assert ended.stderr == (
        "kozyr: skipped 5 of 6 records: 1 aborted, such as matches that never started, "
        "2 not rated (--casual counts them), 1 of an unknown format (this release reads format 1), 1 void\n"
    )
    document = json.loads(ended.stdout)
    assert document["skipped"] == {"aborted": 1, "casual": 2, "unknown_format": 1, "void": 1}
    assert document["records"] == document["counted"] + sum(document["skipped"].values())
    assert "skipped" not in rate(records=lines(counted)).stderr


def test_a_group_that_is_not_whole_is_reported() -> None:
    alone = {**record(["a/x", "b/y"], [0, -1], ident="m", rated=True), "group": "g1"}
    ended = rate("--json", records=lines(alone))
    assert json.loads(ended.stdout)["groups_left_out"] == 1
    assert ended.stderr == "kozyr: 1 group is not whole: records of matches are missing\n"


def test_a_pool_without_the_anchor_is_marked() -> None:
    pool = record(["a/x", "b/y"], [0, -1], ident="m1")
    shown = rate(records=lines(pool)).stdout
    assert shown.count("pool 1") == 2
    assert "comparable only within it" in shown
    connected = lines(pool, record(["b/y", "house/greedy"], [0, -1], ident="m2"))
    assert "pool" not in rate(records=connected).stdout
    assert {
        bot["pool"] for bot in json.loads(rate("--json", records=lines(pool)).stdout)["presets"][0]["bots"]
    } == {"a-x"}
