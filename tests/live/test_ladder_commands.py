"""`kozyr ladder` at a real service: creating, showing, refusing and watching."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner, Result

from kozyr.cli.errors import AWAY, INTERRUPTED, REFUSED
from kozyr.cli.main import main
from tests.live.league import LiveLeague
from tests.support.live import ROOT, LiveService

pytestmark = pytest.mark.live

HOUSE = ("house/greedy", "house/random")


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveService]:
    with LiveService(tmp_path_factory.mktemp("ladders"), settings={"KOZYR_TICK_MS": "20"}) as service:
        yield service


@pytest.fixture(scope="module")
def league(service: LiveService) -> LiveLeague:
    return LiveLeague(service)


def ladder(league: LiveLeague, *words: object) -> Result:
    environment = {"KOZYR_URL": league.service.url, "KOZYR_TOKEN": league.token, "COLUMNS": "120"}
    return CliRunner().invoke(main, ["ladder", *map(str, words)], env=environment)


def made(league: LiveLeague, *more: object) -> str:
    """Create a ladder of two house bots and return its id."""
    entered = [word for bot in HOUSE for word in ("--bot", bot)]
    result = ladder(league, "create", "Nightly", "--game", "durak", "--no-check", *entered, *more)
    assert result.exit_code == 0, result.output
    return result.stdout.strip()


def document(result: Result) -> Any:
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_create_makes_the_requested_ladder(league: LiveLeague) -> None:
    table = "--seats 3 --option batch_attacks=true --decks rotated --clock move_ms=3000 --clock strikes=2"
    rounds = "--format gauntlet --parameter challenger=house/greedy --repeats 2 --cron @hourly --timezone Europe/Moscow"
    words = f"{table} {rounds} --state running --json".split()
    found = document(ladder(league, "create", "Gauntlet", "--game", "durak", *words))
    assert found["options"]["batch_attacks"] is True
    assert (found["name"], found["seats"], found["repeats"], found["state"]) == ("Gauntlet", 3, 2, "running")
    assert (found["decks"], found["rated"], found["check"]) == ("rotated", True, True)
    assert (found["format"], found["parameters"]) == ("gauntlet", {"challenger": "house/greedy"})
    assert found["schedule"] == {"cron": "@hourly", "timezone": "Europe/Moscow"}
    assert (found["clock"]["move_ms"], found["clock"]["strikes"]) == (3000, 2)
    shown = ladder(league, "show", found["id"]).output
    assert "next rounds: " in shown
    assert "Europe/Moscow" in shown
    address = shown.splitlines()[-1].removeprefix("as CSV: ")
    table = httpx.get(address)
    assert (table.status_code, table.headers["Content-Type"]) == (200, "text/csv; charset=utf-8")


ORGANISING = """
    change {ladder} --name Кубок --clock move_ms=700 --casual --json    | "move_ms": 700
    show {ladder}                                                       | Кубок
    freeze {ladder} --from 2099-01-01T00:00:00Z                         | withheld
    show {ladder}                                                       | results are withheld from 2099-01-01
    release {ladder} --json                                             | "freeze": null
    start {ladder} --dry-run                                            | would have 2 matches; nothing was started
    show {ladder}                                                       | waits for somebody to start it
    state {ladder} running                                              | running
    change {ladder} --cron @hourly --seasons @weekly                    | changed schedule, season_schedule
    show {ladder}                                                       | waits for its time; next rounds: 20
    change {ladder} --cron none --seasons none --json                   | "schedule": null
    access {ladder} ban {guest} --reason collusion                      | banned
    access {ladder}                                                     | {guest}  banned: collusion
    access {ladder} clear {guest}                                       | {guest}
    change {ladder} --no-organisers --json                              | "organisers": []
    state {ladder} paused                                               | paused
    list --most 1                                                       | {ladder}
    state {ladder} closing                                              | closed
"""
"""Commands of an organiser one after the other, and what each prints."""


def test_an_organiser_changes_a_ladder_until_it_is_closed(league: LiveLeague, tmp_path: Path) -> None:
    names = {"ladder": made(league), "guest": LiveLeague(league.service, "guest").name}
    for line in ORGANISING.strip().splitlines():
        words, expected = (part.strip().format(**names) for part in line.split("|"))
        done = ladder(league, *words.split())
        assert (done.exit_code, expected in done.output) == (0, True), (words, done.output)
    assert document(ladder(league, "show", names["ladder"], "--json"))["rounds"] == []
    assert ladder(league, "watch", names["ladder"]).exit_code == 0, "a closed ladder ends a watch"
    file = tmp_path / "ladder.json"
    file.write_text(ladder(league, "export", names["ladder"]).stdout, encoding="utf-8")
    copy = ladder(league, "import", file, "--name", "Copy").stdout.strip()
    assert document(ladder(league, "show", copy, "--json"))["ladder"]["name"] == "Copy"


def test_a_refusal_of_one_bot_does_not_stop_entering_or_withdrawing_others(league: LiveLeague) -> None:
    ident = made(league)
    mine = league.bot("entrant").name
    result = ladder(league, "enter", ident, "nobody/there", mine)
    assert result.exit_code == REFUSED
    assert 'kozyr: nobody/there: there is no bot "nobody/there" (no_such_bot)' in result.stderr.splitlines()
    assert f"{mine} was entered" in result.stderr
    assert ladder(league, "withdraw", ident, mine).exit_code == 0
    names = [each["bot"] for each in document(ladder(league, "show", ident, "--json"))["standings"]]
    assert sorted(names) == list(HOUSE)
    assert ladder(league, "withdraw", ident, "no-name").exit_code == AWAY


def test_a_round_is_started_and_watched_to_its_end(league: LiveLeague) -> None:
    ident = made(league, "--repeats", 40)
    result = ladder(league, "start", ident)
    assert result.stdout.strip() == "round 1 has started: 80 matches"
    watched = ladder(league, "watch", ident, "--round", "--every", 0.2)
    assert watched.exit_code == 0, watched.output
    lines = watched.stdout.splitlines()
    assert lines[0] == f"ladder Nightly ({ident}): open"
    assert "round 1, done: 80 of 80 matches finished" in lines
    assert "\x1b" not in watched.stdout
    assert [line.split()[:2] for line in lines[-2:]] == [["1", "house/greedy"], ["2", "house/random"]]
    again = ladder(league, "watch", ident, "--round", "--json")
    (line,) = again.stdout.splitlines()
    (last,) = json.loads(line)["rounds"]
    assert last["finished"] == 80
    assert lines[-3].split()[:4] == ["place", "bot", "points/deal,", "95"]
    assert re.search(r"house/greedy\t[-+]\d\.\d{3}(  [-+]\d\.\d{3} to [-+]\d\.\d{3})?\t", watched.stdout)


def test_a_result_is_corrected_after_the_end(league: LiveLeague) -> None:
    ident = made(league)
    for words in (["start", ident], ["watch", ident, "--round", "--every", 0.2], ["seasons", ident, "--end"]):
        assert ladder(league, *words).exit_code == 0
    first = document(ladder(league, "results", ident, "--season", 1, "--json"))["places"]
    best, other = (each["bot"] for each in first)
    correction = ["correct", ident, "disqualify", best, "--season", 1, "--reason", "it cheated"]
    assert ladder(league, *correction).stdout == f"season 1: won by {other}\n"
    second, published = ladder(league, "results", ident, "--season", 1).stdout.splitlines()
    assert published.startswith("1  ")
    assert f"won by {best}" in published
    assert "disqualify by " in second
    assert second.endswith(f": it cheated  won by {other}; out: {best}")
    assert "it cheated" in ladder(league, "show", ident, "--season", 1, "--json").stdout
    assert "disqualify" in ladder(league, "audit", ident, "--json").stdout
    refused = ladder(league, "rerun", "0" * 28, "--reason", "r")
    assert refused.exit_code == REFUSED


@pytest.mark.parametrize(
    ("words", "message", "status"),
    [
        (["create", "x", "--game", "bridge"], "(no_such_game)", REFUSED),
        (["create", "x", "--game", "durak", "--seats", "99"], "seats: Must be ", REFUSED),
        (["create", "x", "--game", "durak", "--cron", "now and then"], "(bad_value)", REFUSED),
        (["create", "x", "--game", "durak", "--clock", "soon"], "'soon' is not of the form NAME=VALUE", AWAY),
        (
            ["create", "x", "--game", "durak", "--timezone", "UTC"],
            "--timezone needs a cron expression",
            AWAY,
        ),
        (["show", "l-no-such"], "(no_such_ladder)", REFUSED),
        (["void", "m1", "--reason", "r"], "(no_such_match)", REFUSED),
        (["freeze", "{ladder}", "--from", "2020-01-01T00:00:00Z"], "(bad_value)", REFUSED),
        (["change", "{ladder}", "--seats", "9"], "(bad_table)", REFUSED),
        (["change", "{ladder}"], "name a setting to change", AWAY),
        (["seasons", "{ladder}", "--end"], "(season_empty)", REFUSED),
        (["bracket", "{ladder}"], "(no_bracket)", REFUSED),
        (["access", "{ladder}", "jail", "x"], "'jail' is not one of 'invite', 'ban', 'clear'", AWAY),
    ],
)
def test_a_refusal_is_one_clear_line(
    league: LiveLeague, words: Sequence[str], message: str, status: int
) -> None:
    ident = made(league) if "{ladder}" in words else ""
    result = ladder(league, *(word.format(ladder=ident) for word in words))
    assert (result.exit_code, result.stdout) == (status, "")
    assert message in result.stderr.splitlines()[-1]
    assert "Traceback" not in result.stderr


def test_ctrl_c_ends_only_the_watch(league: LiveLeague) -> None:
    ident = made(league)
    words = [sys.executable, "-m", "kozyr.cli.main", "ladder", "watch", ident, "--url", league.service.url]
    with subprocess.Popen(
        words,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A process started in the background ignores SIGINT, and the command would inherit that.
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stderr is not None
            assert process.stdout.readline() == f"ladder Nightly ({ident}): open\n"
            process.send_signal(signal.SIGINT)
            assert process.wait(30) == INTERRUPTED
            assert process.stderr.read() == "stopped watching; the ladder continues\n"
        finally:
            process.kill()
    assert ladder(league, "state", ident).stdout == "open\n"
