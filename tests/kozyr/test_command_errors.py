"""Errors of commands: one sentence that begins with `kozyr:`, exit status 2, and the nearest name for a typo."""

from __future__ import annotations

import json
from functools import partial
from typing import Final

import click
import pytest

from kozyr.cli.author.columns import field_lines, table
from kozyr.cli.author.profiles import Profile, ProfileError, Profiles, profiles_path
from kozyr.cli.main import main
from kozyr.cli.output import show
from tests.support.command_line import home, kozyr

__all__ = ["home"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["chalenge"], "kozyr: there is no command 'chalenge'; did you mean challenge? See `kozyr --help`"),
        (["bot", "creat"], "kozyr: there is no command 'creat'; did you mean create? See `kozyr bot --help`"),
        (["ladder", "wach"], "kozyr: there is no command 'wach'; did you mean watch? See `kozyr ladder --help`"),
        (["play", "--gam", "durak"], "kozyr: no such option '--gam'. Did you mean '--game'? See `kozyr play --help`"),
        (["check", "http://127.0.0.1:1"], "kozyr: this needs a bot's token: run `kozyr bot create NAME` or "
                                          "`kozyr login URL`, or set KOZYR_TOKEN"),
        (["challenge", "house/greedy", "--", "nonsense"], "kozyr: 'nonsense' is not a program that can be run; see "
                                                          "`kozyr challenge --help`"),
        (["connect", "--", "nonsense"], "kozyr: 'nonsense' is not a program that can be run; see "
                                        "`kozyr connect --help`"),
        (["check", "--client"], "kozyr: --client needs the command of the client after --; see `kozyr check --help`"),
        (["connect", "localhost:8000", "--", "sh"], "kozyr: 'localhost:8000' is not an address: begin it with http:// "
                                                    "or https://"),
        (["connect", "http://127.0.0.1:1"], "kozyr: the program is missing: put its command after --, as in `kozyr "
                                            "connect -- python my_bot.py`; see `kozyr connect --help`"),
        (["connect", "http://127.0.0.1:1", "sh", "x.sh"], "kozyr: got unexpected extra arguments (sh x.sh); see `kozyr "
                                                          "connect --help`"),
        (["bot", "list", "--url", "localhost:8000"], "kozyr: 'localhost:8000' is not an address: begin it with http:// "
                                                     "or https://"),
        (["register", "localhost:8000", "me"], "kozyr: invalid value for 'URL': 'localhost:8000' is not an address: "
                                               "begin it with http:// or https://; see `kozyr register --help`"),
        (["register", "http://me:secret@127.0.0.1:1", "me"], "kozyr: invalid value for 'URL': the address has a user "
                                                             "name or a password: leave them out, and give a token "
                                                             "with KOZYR_TOKEN; see `kozyr register --help`"),
        (["connect", "http://me:secret@127.0.0.1:1", "--", "sh"], "kozyr: the address has a user name or a password: "
                                                                  "leave them out, and give a token with KOZYR_TOKEN"),
        (["bot", "list", "--url", "ftp://me:secret@127.0.0.1"], "kozyr: the address has a user name or a password: "
                                                                "leave them out, and give a token with KOZYR_TOKEN"),
        (["bot", "list"], "kozyr: this needs an owner's token: run `kozyr register URL NAME` or `kozyr login URL`, "
                          "or set KOZYR_TOKEN"),
        (["match", "list", "--most", "x"], "kozyr: invalid value for '--most': 'x' is not a whole number from 1 to "
                                           "200; see `kozyr match list --help`"),
        (["match", "list", "--most", "0"], "kozyr: invalid value for '--most': 0 is not in the range 1<=x<=200; see "
                                           "`kozyr match list --help`"),
        (["challenge", "house/greedy", "--deals", "x"], "kozyr: invalid value for '--deals': 'x' is not a whole number "
                                                        "from 1 on; see `kozyr challenge --help`"),
        (["ladder", "watch", "l", "--every", "x"], "kozyr: invalid value for '--every': 'x' is not a number from 0.2 "
                                                   "on; see `kozyr ladder watch --help`"),
        (["compare", "a/b", "a/c", "--game", "durak"], "kozyr: this needs a token: run `kozyr register URL NAME` or "
                                                       "`kozyr login URL`, or set KOZYR_TOKEN"),
        (["compare", "a/b", "--game", "durak"], "kozyr: missing argument 'OWNER/BOT'; see `kozyr compare --help`"),
        (["bot", "list", "--profile", "x"], "kozyr: there is no profile 'x' (known: none): create it with "
                                            "`kozyr login`"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)  # fmt: skip
def test_an_error_is_one_sentence_and_status_2(words: list[str], sentence: str) -> None:
    ended = kozyr(*words)
    assert (ended.exit_code, ended.stderr) == (2, sentence + "\n")


@pytest.mark.parametrize("words", [("bot", "list"), ("connect", "--", "true"), ("ladder", "list")])
def test_what_no_token_can_be_is_one_sentence(
    words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KOZYR_TOKEN", "kozyr_half {of}")
    ended = kozyr(*words)
    assert ended.exit_code == 2
    assert "the token has characters that no token has: copy it again" in ended.stderr
    assert "kozyr_half" not in ended.stderr


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660])
def test_a_token_file_that_others_can_read_is_refused(mode: int) -> None:
    Profiles().save("default", Profile("http://127.0.0.1:1", "example", "kozyr_x"))
    profiles_path().chmod(mode)
    ended = kozyr("bot", "list")
    assert ended.exit_code == 2
    path = profiles_path()
    assert ended.stderr == f"kozyr: {path} holds tokens and others can read it: run `chmod 600 {path}`\n"


def test_a_damaged_profile_file_is_reported_and_kept() -> None:
    Profiles().save("default", Profile("http://127.0.0.1:1"))
    for text in ("{", "[]", json.dumps({"format": 1, "current": "a", "profiles": {"a": {"uri": "x"}}})):
        profiles_path().write_text(text)
        with pytest.raises(ProfileError, match="damaged"):
            Profiles()
        assert profiles_path().read_text() == text


ROW: Final = {name: f"{name}-" + "x" * 40 for name in ("id", "game", "seats", "status", "scores", "result")}


@pytest.mark.parametrize("columns", ["", "50", "200"])
def test_rows_and_fields_without_a_terminal_are_lines_with_tabs(
    columns: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    with click.Context(main):
        show({}, table([ROW], list(ROW), none=""))
        assert capsys.readouterr().out.splitlines() == ["\t".join(ROW), "\t".join(ROW.values())]
        show({}, field_lines(ROW))
        assert capsys.readouterr().out.splitlines() == ["\t".join(pair) for pair in ROW.items()]


@pytest.mark.parametrize(
    "words", [(), ("bot",), ("ladder",), ("profile",)], ids=lambda words: " ".join(words) or "kozyr"
)
def test_a_group_without_a_command_prints_its_help(words: tuple[str, ...]) -> None:
    ended = kozyr(*words)
    assert (ended.exit_code, ended.stdout) == (2, "")
    assert ended.stderr == kozyr(*words, "--help").stdout


@pytest.mark.parametrize("columns", ["50", "80", "200"])
def test_a_terminal_wraps_long_texts_but_no_id(
    columns: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setenv("TTY_COMPATIBLE", "1")  # rich takes the output for a terminal
    monkeypatch.setenv("NO_COLOR", "1")
    for form in (partial(table, [ROW], list(ROW), none=""), partial(field_lines, ROW)):
        with click.Context(main):
            show({}, form())
        text = capsys.readouterr().out
        assert ROW["id"] in text
        assert "…" not in text
        assert text.count("x") == 6 * 40


def test_a_redis_that_is_away_is_one_sentence_with_what_to_do() -> None:
    settings = {"KOZYR_REDIS_URL": "redis://127.0.0.1:1", "KOZYR_SECRET": "s" * 40}
    for words in (["pause"], ["archive", "status"]):
        ended = kozyr(*words, env=settings)
        assert (ended.exit_code, ended.stdout) == (2, "")
        assert ended.stderr.startswith("kozyr: Error 111 connecting to 127.0.0.1:1")
        assert ended.stderr.endswith(": check that Redis runs, and that KOZYR_REDIS_URL is its address\n")
