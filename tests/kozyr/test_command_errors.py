"""Errors of commands: one sentence that begins with `kozyr:`, exit status 2, and the nearest name for a typo."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from rich.console import Console

from kozyr.cli.author.profiles import Profile, ProfileError, Profiles, profiles_path
from kozyr.cli.author.tables import table
from kozyr.cli.main import main


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    for name in ("KOZYR_URL", "KOZYR_TOKEN", "KOZYR_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def kozyr(*words: str) -> Result:
    return CliRunner().invoke(main, list(words), prog_name="kozyr")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["chalenge"], "kozyr: there is no command 'chalenge'; did you mean challenge?; see `kozyr --help`"),
        (["bot", "creat"], "kozyr: there is no command 'creat'; did you mean create?; see `kozyr bot --help`"),
        (["ladder", "wach"], "kozyr: there is no command 'wach'; did you mean watch?; see `kozyr ladder --help`"),
        (["play", "--gam", "durak"], "kozyr: no such option '--gam'. Did you mean '--game'?; see `kozyr play --help`"),
        (["check", "http://127.0.0.1:1"], "kozyr: this needs a bot's token: run `kozyr bot create NAME`, choose one "
                                          "with --bot, or set KOZYR_TOKEN"),
        (["challenge", "house/greedy", "--", "nonsense"], "kozyr: 'nonsense' is not a program that can be run; see "
                                                          "`kozyr challenge --help`"),
        (["connect", "nonsense-program"], "kozyr: 'nonsense-program' is not a program that can be run: put its command "
                                          "after --, as in `kozyr connect -- python my_bot.py`"),
        (["bot", "list", "--url", "localhost:8000"], "kozyr: 'localhost:8000' is not an address: begin it with http:// "
                                                     "or https://"),
        (["register", "localhost:8000", "me"], "kozyr: invalid value for 'URL': 'localhost:8000' is not an address: "
                                               "begin it with http:// or https://; see `kozyr register --help`"),
        (["bot", "list"], "kozyr: this needs an owner's token: run `kozyr register URL NAME` or `kozyr login URL`, "
                          "or set KOZYR_TOKEN"),
        (["bot", "list", "--profile", "x"], "kozyr: there is no profile 'x' (known: none): create it with "
                                            "`kozyr login`"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)  # fmt: skip
def test_an_error_is_one_sentence_and_status_2(words: list[str], sentence: str) -> None:
    ended = kozyr(*words)
    assert (ended.exit_code, ended.stderr) == (2, sentence + "\n")


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


def test_profiles_are_kept_together_and_the_last_one_is_current() -> None:
    Profiles().save("work", Profile("http://127.0.0.1:1", "a", "t1", {"fool": "t2"}))
    Profiles().save("home", Profile("http://127.0.0.1:2", "b"))
    kept = Profiles()
    assert (kept.current, kept.known["work"].bots) == ("home", {"fool": "t2"})
    kept.remove("home")
    assert Profiles().current == "work"


def test_tables_fit_80_columns_and_cut_nothing_off() -> None:
    row = {name: f"{name}-" + "x" * 40 for name in ("id", "game", "seats", "status", "scores", "result")}
    console = Console(width=80, file=io.StringIO())
    with console.capture() as captured:
        console.print(table([row], list(row)))
    text = captured.get()
    assert max(map(len, text.splitlines())) <= 80
    assert "…" not in text
    assert text.count("x") == 6 * 40
