"""`kozyr export` writes every record of a service to a file once, even if it is interrupted and repeated."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from werkzeug import Request, Response

from kozyr.cli.main import main
from records.instants import ms_of, text_of
from tests.support.answering import answering
from tests.support.live import ROOT

HOUR_MS = 3_600_000


def record(number: int, **fields: Any) -> dict[str, Any]:
    """Return the record of a match that ended in hour `number`."""
    ended = text_of(1_763_683_200_000 + number * HOUR_MS)
    known = {"preset": "durak/2", "deals": 1, "seats": [], "scores": [], "group": None, "ending": "rules"}
    return {"id": f"match{number}", **known, "ended": ended, "moves": [number], **fields}


class RecordService:
    """A minimal service for exports: its version, and `GET /v1/records` with three records per page."""

    def __init__(self) -> None:
        self.url = ""
        self.records: list[dict[str, Any]] = []
        self.asked: list[dict[str, str]] = []
        self.broken_lines = 0
        """The number of responses yet to be cut in the middle of their second line."""

    def __call__(self, request: Request) -> Response:
        if request.path == "/v1/limits":
            limits = {"version": version("kozyr"), "max_moves": 256}
            return Response(json.dumps(limits), mimetype="application/json")
        wanted = request.args.to_dict()
        self.asked.append(wanted)
        since, start = ms_of(wanted.get("since", "1970-01-01T00:00:00Z")), int(wanted.get("cursor", 0))
        found = [one for one in self.records if ms_of(one["ended"]) >= since]
        if wanted.get("void") == "true":
            found = [one for one in found if "annotations" in one]
        page = b"".join(json.dumps(one).encode() + b"\n" for one in found[start : start + 3])
        if self.broken_lines:
            self.broken_lines -= 1
            page = page[: page.index(b"\n") + 20]
        more = {"Kozyr-Cursor": str(start + 3)} if start + 3 < len(found) else {}
        return Response(page, headers=more, mimetype="application/x-ndjson")


@pytest.fixture
def service() -> Iterator[RecordService]:
    fake = RecordService()
    with answering(fake) as fake.url:
        yield fake


def export(service: RecordService, out: Path, *words: str) -> Result:
    return CliRunner().invoke(main, ["export", service.url, "--out", str(out), *words])


def numbers(out: Path) -> list[int]:
    return [json.loads(line)["moves"][0] for line in out.read_text().splitlines()]


def test_all_records_come_page_by_page(service: RecordService, tmp_path: Path) -> None:
    service.records = [record(number) for number in range(8)]
    ended = export(service, tmp_path / "out", "--game", "durak", "--until", "2026-01-01T00:00:00Z")
    assert ended.exit_code == 0, ended.output
    assert [json.loads(line) for line in (tmp_path / "out").read_text().splitlines()] == service.records
    assert [asked.get("cursor") for asked in service.asked] == [None, "3", "6"]
    assert all(
        (asked["game"], asked["until"]) == ("durak", "2026-01-01T00:00:00Z") for asked in service.asked
    )


def test_a_truncated_response_is_fetched_again_without_duplicates(
    service: RecordService, tmp_path: Path
) -> None:
    service.records = [record(number) for number in range(5)]
    service.broken_lines = 1
    assert export(service, tmp_path / "out").exit_code == 0
    assert numbers(tmp_path / "out") == [0, 1, 2, 3, 4]


def test_resuming_adds_new_and_late_records(service: RecordService, tmp_path: Path) -> None:
    """The records of a group appear when its last match ends. Some of them ended earlier than known records."""
    out = tmp_path / "out"
    late = record(28)
    service.records = [record(number) for number in range(30) if number != 28]
    export(service, out)
    with out.open("a") as file:
        file.write('{"id": "broken o')
    service.records = sorted([*service.records, late, record(30)], key=lambda one: str(one["ended"]))
    service.asked.clear()
    ended = export(service, out, "--resume")
    assert ended.exit_code == 0, ended.output
    assert sorted(numbers(out)) == list(range(31))
    assert service.asked[-1]["since"] == record(5)["ended"], "a day before the last one known"


def test_resuming_amends_records_of_void_matches(service: RecordService, tmp_path: Path) -> None:
    out = tmp_path / "out"
    service.records = [record(number) for number in range(60)]
    export(service, out)
    service.records[3]["annotations"] = [
        {"at": "2026-01-01T00:00:00.000Z", "kind": "void", "reason": "a test"}
    ]
    service.records.append(record(60))
    ended = export(service, out, "--resume", "--game", "durak")
    assert (ended.exit_code, "1 records amended" in ended.output) == (0, True), ended.output
    assert [json.loads(line) for line in out.read_text().splitlines()] == service.records
    assert {asked["game"] for asked in service.asked[-2:]} == {"durak"}
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_file_with_something_in_it_is_not_written_over(service: RecordService, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.write_text("notes of mine\n")
    ended = export(service, out)
    assert (ended.exit_code, "--resume" in ended.output) == (2, True)
    ended = export(service, out, "--resume")
    assert (ended.exit_code, "line 1 of" in ended.output) == (2, True)
    assert out.read_text() == "notes of mine\n"


def test_a_full_disk_is_reported_and_the_export_can_be_continued(
    service: RecordService, tmp_path: Path
) -> None:
    service.records = [record(number, note="x" * 600) for number in range(5)]
    out = tmp_path / "records"
    limited = ["sh", "-c", 'ulimit -f 2; exec "$@"', "sh", sys.executable, "-m", "kozyr.cli.main"]
    ended = subprocess.run(
        [*limited, "export", service.url, "--out", str(out)], capture_output=True, text=True, cwd=ROOT
    )
    assert ended.returncode == 2, ended.stderr
    stopped, said = ended.stderr.splitlines()
    assert said.startswith(f"kozyr: {out} can't be written to: ")
    assert stopped.endswith("continue with --resume")
    assert export(service, out, "--resume").exit_code == 0
    assert numbers(out) == [0, 1, 2, 3, 4]
