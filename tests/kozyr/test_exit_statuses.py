"""The same cause has the same exit status in all commands (docs/cli.md)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command_line import home, kozyr
from tests.support.commands import leaves

__all__ = ["home"]


ALL = dict(leaves())
READS = {
    ("points",): ("--from", "{bad}"),
    ("rate",): ("--from", "{bad}"),
    ("replay",): ("{bad}",),
    ("restore",): ("{bad}",),
    ("review",): ("{bad}",),
    ("verify",): ("{bad}",),
    ("view",): ("{bad}",),
}
"""The commands that read a file or a folder, with the arguments for one."""
RUNS_ON_SETTINGS = [
    words
    for words in ALL
    if words[0]
    in ("admin", "api", "archive", "audit", "clock", "data", "drain", "pause", "resume", "up", "worker")
    and not any(parameter.required for parameter in ALL[words].params)
]


@pytest.mark.parametrize("words", ALL, ids=" ".join)
def test_an_unknown_option_has_status_2(words: tuple[str, ...]) -> None:
    ended = kozyr(*words, "--no-such-option")
    assert (ended.exit_code, ended.stderr.count("\n")) == (2, 1), ended.stderr


@pytest.mark.parametrize("bad", ["missing", "bytes", "no record", "cut JSON", "empty folder"])
@pytest.mark.parametrize("words", READS, ids=" ".join)
def test_an_input_that_can_not_be_read_has_status_2(words: tuple[str, ...], bad: str, tmp_path: Path) -> None:
    path = tmp_path / "input"
    content = {"bytes": b"\xff\x00\n", "no record": b"[1]\n", "cut JSON": b'{"id": \n'}
    if bad in content:
        path.write_bytes(content[bad])
    elif bad == "empty folder":
        path.mkdir()
    arguments = (word.format(bad=path) for word in READS[words])
    ended = kozyr(*words, *arguments, env={"KOZYR_VAR": str(tmp_path / "var")})
    # To `verify`, JSON that is no record is a wrong record, and that is what it looks for.
    assert ended.exit_code == (1 if (words, bad) == (("verify",), "no record") else 2), ended.output
    assert ended.exit_code == 1 or ended.stderr.startswith("kozyr: "), ended.stderr


@pytest.mark.parametrize("words", RUNS_ON_SETTINGS, ids=" ".join)
def test_a_wrong_setting_has_status_2(words: tuple[str, ...]) -> None:
    ended = kozyr(*words, env={"KOZYR_PORT": "x"})
    assert ended.exit_code == 2, (ended.output, ended.exception)
    assert ended.stderr.startswith("kozyr: KOZYR_PORT"), ended.stderr
