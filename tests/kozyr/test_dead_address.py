"""Commands report at once that no service listens at the given address."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from kozyr.cli.main import main
from kozyr_client import http

COMMANDS = (
    ("check", "{url}", "--token", "t"),
    ("export", "{url}", "--out", "{folder}/records.ndjson"),
    ("ladder", "list", "--url", "{url}"),
    ("ladder", "show", "l1", "--url", "{url}"),
    ("verify", "{url}"),
)


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: " ".join(words[:2]))
def test_an_unreachable_service_is_reported_without_a_retry(
    words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def pause(*_: Any) -> float:
        raise AssertionError("the command waits for a service that was never there")

    monkeypatch.setattr(http.Backoff, "pause", pause)
    with socket.socket() as bound:
        # Bound and not listening: connections are refused, and nobody else gets the port meanwhile.
        bound.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{bound.getsockname()[1]}"
        done = CliRunner().invoke(main, [word.format(url=url, folder=tmp_path) for word in words])
    assert done.exit_code == 2, (done.output, done.exception)
    assert "refused" in done.stderr
