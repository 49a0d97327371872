"""`kozyr view`: the page of a record in one file, with nothing to load."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from click.testing import CliRunner

from kozyr.cli.main import main
from kozyr.reading.view import page
from tests.support.command_line import tournament


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tournament(tmp_path_factory.mktemp("view") / "records.ndjson")


def test_the_file_has_every_frame_and_loads_nothing(records: Path, tmp_path: Path) -> None:
    record = json.loads(records.read_text().splitlines()[0])
    out = tmp_path / "match.html"
    done = CliRunner().invoke(main, ["view", str(records), "--match", record["id"], "--out", str(out)])
    assert done.exit_code == 0, done.output
    parts = _Parts(out.read_text())
    assert parts.addresses == []
    moves = sum(event["type"] == "move" for frame in parts.data["frames"] for event in frame["events"])
    assert moves == sum(move["seat"] is not None for move in record["moves"])


def test_the_policy_of_the_file_allows_its_own_style_and_script_only(records: Path) -> None:
    text = page(json.loads(records.read_text().splitlines()[0]))
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]+)"', text)
    for tag in ("style", "script"):
        (inside,) = re.findall(rf"<{tag}[^>]*>(.*?)</{tag}>", text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    assert "unsafe" not in policy


def test_a_note_cannot_leave_its_place(records: Path) -> None:
    record = json.loads(records.read_text().splitlines()[0])
    note = "'></kozyr-table><script>alert(1)</script>\"&"
    next(move for move in record["moves"] if "ms" in move)["note"] = note
    text = page(record, "ru")
    assert "<script>alert" not in text
    notes = [event.get("note") for frame in _Parts(text).data["frames"] for event in frame["events"]]
    assert note in notes


def test_a_record_chooses_no_folder(records: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    record = {**json.loads(records.read_text().splitlines()[0]), "id": "../there"}
    Path("hostile.ndjson").write_text(json.dumps(record))
    done = CliRunner().invoke(main, ["view", "hostile.ndjson"])
    assert done.exit_code == 2
    assert "give one with --out" in done.output
    assert list(tmp_path.glob("*.html")) == []


class _Parts(HTMLParser):
    """The addresses and the data of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if tag == "kozyr-table":
            self.data = json.loads(found["data-table"] or "")
        elif tag in ("script", "link", "img", "iframe"):
            self.addresses += [found[name] or "" for name in ("src", "href") if name in found]
