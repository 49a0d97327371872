"""`kozyr verify`: output and exit status for records in files. tests/live/test_records.py covers URLs."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from kozyr.cli.main import main
from records.chain import Link, chained, digest
from referee.proofs.proof import SigningKey, pem

PAGE = Path(__file__).parents[2] / "docs" / "shuffles.md"
KEY = SigningKey(b"k" * 32)


def kozyr_verify(*words: object) -> Result:
    return CliRunner().invoke(main, ["verify", *map(str, words)])


@pytest.fixture
def record() -> Any:
    """The record of docs/shuffles.md."""
    found = re.search(r"```json record\n(.*?)^```", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    assert found is not None
    return json.loads(found[1])


def chain(record: Any, count: int) -> list[Any]:
    """Return `count` copies of the record, chained and signed with the numbers 1 to `count`."""
    made, previous = [], bytes(32)
    for number in range(1, count + 1):
        link = Link(number, previous, chained(previous, digest(record)))
        proof = {
            "number": number,
            "previous": previous.hex(),
            "link": link.link.hex(),
            "key": KEY.public,
            "signature": KEY.sign(link),
        }
        made.append({**record, "proof": proof})
        previous = link.link
    return made


def written(folder: Path, *documents: Any, indent: int | None = None) -> Path:
    path = folder / "records"
    path.write_text("".join(json.dumps(one, indent=indent) + "\n" for one in documents))
    return path


@pytest.mark.parametrize("indent", [None, 1])
def test_a_record_in_a_file_is_right(tmp_path: Path, record: Any, indent: int | None) -> None:
    ended = kozyr_verify(written(tmp_path, record, indent=indent), "--key", record["proof"]["key"])
    assert ended.exit_code == 0
    assert "1 record: 1 right, 0 wrong" in ended.output
    assert "signatures: 1 checked" in ended.output


def test_an_unchecked_signature_is_reported_with_its_reason(tmp_path: Path, record: Any) -> None:
    ended = kozyr_verify(written(tmp_path, record))
    assert ended.exit_code == 0
    assert "1 NOT checked for lack of a key (add --key)" in ended.output
    del record["proof"]
    assert "1 NOT checked for lack of a proof" in kozyr_verify(written(tmp_path, record)).output


def test_a_record_of_a_dump_needs_no_signature_unless_a_key_is_given(tmp_path: Path, record: Any) -> None:
    key, dumped = record["proof"].pop("key"), record
    del dumped["proof"]["signature"]
    ended = kozyr_verify(written(tmp_path, dumped))
    assert ended.exit_code == 0
    assert "1 NOT checked for lack of a signature" in ended.output
    refused = kozyr_verify(written(tmp_path, dumped), "--key", key)
    assert refused.exit_code == 1
    assert "proof.signature: it is missing; expected a signature by the key" in refused.output


def test_a_wrong_field_is_reported_with_the_expected_value(tmp_path: Path, record: Any) -> None:
    lines = chain(record, 3)
    lines[1] = {**lines[1], "scores": [1, 0]}
    ended = kozyr_verify(written(tmp_path, *lines), "--key", KEY.public)
    assert ended.exit_code == 1
    assert f"records, line 2: match {record['id']}" in ended.output
    assert "  scores[0]: it is 1; expected -1" in ended.output
    assert "  proof.link: it is " in ended.output
    assert "3 records: 2 right, 1 wrong" in ended.output


def test_a_change_that_only_the_signature_reveals_is_found_with_the_key(tmp_path: Path, record: Any) -> None:
    record["proof"]["signature"] = "0" + record["proof"]["signature"][1:]
    path = written(tmp_path, record)
    assert kozyr_verify(path).exit_code == 0
    ended = kozyr_verify(path, "--key", record["proof"]["key"])
    assert ended.exit_code == 1
    assert "proof.signature: it is not of this number and link" in ended.output


def test_a_record_that_was_taken_out_is_a_gap(tmp_path: Path, record: Any) -> None:
    first, _, third = chain(record, 3)
    path = written(tmp_path, first, third)
    ended = kozyr_verify(path)
    assert ended.exit_code == 0
    assert "missing records 2 of the chain" in ended.output
    assert kozyr_verify(path, "--whole").exit_code == 1


def test_a_chain_without_one_record_fails_even_if_the_rest_is_renumbered(tmp_path: Path, record: Any) -> None:
    first, _, third = chain(record, 3)
    third["proof"]["number"] = 2
    ended = kozyr_verify(written(tmp_path, first, third))
    assert ended.exit_code == 1
    assert "proof.previous: it is " in ended.output


@pytest.mark.parametrize("form", ["hex", "file", "pem"])
def test_a_key_is_given_in_hexadecimal_or_as_a_file(tmp_path: Path, record: Any, form: str) -> None:
    key = record["proof"]["key"]
    file = tmp_path / "key"
    file.write_text(key + "\n" if form == "file" else pem(key))
    path = written(tmp_path, record)
    assert kozyr_verify(path, "--key", key if form == "hex" else file).exit_code == 0
    ended = kozyr_verify(path, "--key", "00" * 32)
    assert ended.exit_code == 1
    assert "proof.key" in ended.output


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "it holds no record"),
        ("hello", "it is not valid JSON"),
        ('{"format": 1, "format": 1}', "an object has a duplicate name"),
        ('{"format": NaN}', "NaN is not a number"),
        ("[" * 100_000, "it is not valid JSON"),
        ('{"max_wait_s": 60}', "it is no record, since it has none of game, id, moves, shuffle"),
    ],
)
def test_an_unreadable_source_gives_status_2(tmp_path: Path, text: str, expected: str) -> None:
    path = tmp_path / "records"
    path.write_text(text)
    ended = kozyr_verify(path)
    assert ended.exit_code == 2
    assert expected in ended.output


def test_an_incomplete_line_is_reported_after_the_complete_ones(tmp_path: Path, record: Any) -> None:
    path = written(tmp_path, record)
    path.write_text(path.read_text() + path.read_text()[:100])
    ended = kozyr_verify(path)
    assert ended.exit_code == 2
    assert "line 2: it is not valid JSON" in ended.output
    assert "1 record: 1 right" in ended.output


@pytest.mark.parametrize("source", ["no-such-file", "http://127.0.0.1:1/v1/records", "https://"])
def test_a_missing_source_gives_status_2(source: str) -> None:
    ended = kozyr_verify(source)
    assert ended.exit_code == 2
    assert source in ended.output


def test_an_invalid_key_gives_status_2(tmp_path: Path, record: Any) -> None:
    ended = kozyr_verify(written(tmp_path, record), "--key", "secret")
    assert ended.exit_code == 2
    assert "64 hexadecimal digits" in ended.output


def test_the_id_of_a_match_names_its_record_on_the_service(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KOZYR_URL", "http://127.0.0.1:1")
    ident = "01" + "b" * 26
    ended = CliRunner().invoke(main, ["verify", ident])
    assert ended.exit_code == 2
    assert f"kozyr: http://127.0.0.1:1/v1/matches/{ident}/record: " in ended.stderr
