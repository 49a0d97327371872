"""`kozyr ladder` at a real service: creating, showing, refusing and watching."""

from __future__ import annotations

import io
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
from rich.console import Console

from kozyr.cli.errors import AWAY, INTERRUPTED, REFUSED
from kozyr.cli.ladders.desk import LadderClient, LadderView
from kozyr.cli.ladders.ladder_watch import Screen, watch
from kozyr.cli.main import main
from kozyr_client import Client, KozyrError
from tests.live.league import LiveBot, LiveLeague
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


def ladder(league: LiveLeague, *words: object, token: str | None = None) -> Result:
    environment = {"KOZYR_URL": league.service.url, "KOZYR_TOKEN": token or league.token, "COLUMNS": "120"}
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


def test_change_renames_describes_and_corrects(league: LiveLeague) -> None:
    ident = made(league)
    words = ("--name", "Кубок", "--description", "Two rounds", "--clock", "move_ms=700", "--casual")
    found = document(ladder(league, "change", ident, *words, "--json"))
    assert (found["name"], found["description"], found["clock"]["move_ms"]) == ("Кубок", "Two rounds", 700)
    assert (found["rated"], found["check"], found["decks"]) == (False, False, "rotated")
    assert "Two rounds" in ladder(league, "show", ident).output
    assert ladder(league, "change", ident).exit_code == AWAY
    refusal = ladder(league, "change", ident, "--seats", 9)
    assert (refusal.exit_code, "bad_table" in refusal.output) == (REFUSED, True)


def test_a_match_is_voided_by_the_organisers(league: LiveLeague) -> None:
    ident = made(league)
    refusal = ladder(league, "change", ident, "--organiser", "nobody-there")
    assert (refusal.exit_code, "no_such_owner" in refusal.output) == (REFUSED, True)
    assert document(ladder(league, "change", ident, "--no-organisers", "--json"))["organisers"] == []
    refusal = ladder(league, "void", ident, "m" + "a" * 20, "--reason", "a wrong deck")
    assert (refusal.exit_code, "no_such_match" in refusal.output) == (REFUSED, True)


def test_a_ladder_is_exported_to_a_file_and_imported_from_it(league: LiveLeague, tmp_path: Path) -> None:
    exported = ladder(league, "export", made(league, "--format", "swiss"))
    file = tmp_path / "ladder.json"
    file.write_text(exported.stdout, encoding="utf-8")
    copy = ladder(league, "import", file, "--name", "Copy").stdout.strip()
    found = document(ladder(league, "show", copy, "--json"))
    assert (found["ladder"]["name"], found["ladder"]["format"]) == ("Copy", "swiss")
    assert sorted(line["bot"] for line in found["standings"]) == sorted(HOUSE)
    file.write_text("not JSON")
    assert ladder(league, "import", file).exit_code == AWAY


def test_results_are_withheld_and_released(league: LiveLeague) -> None:
    ident = made(league)
    assert "withheld" in ladder(league, "freeze", ident, "--from", "2099-01-01T00:00:00Z").output
    assert "results are withheld from 2099-01-01" in ladder(league, "show", ident).output
    assert document(ladder(league, "release", ident, "--json"))["freeze"] is None
    refusal = ladder(league, "freeze", ident, "--from", "2020-01-01T00:00:00Z")
    assert (refusal.exit_code, "bad_value" in refusal.output) == (REFUSED, True)


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


def test_a_dry_run_shows_the_pairings_and_starts_nothing(league: LiveLeague) -> None:
    ident = made(league)
    result = ladder(league, "start", ident, "--dry-run")
    assert result.exit_code == 0
    first, meeting = result.stdout.splitlines()
    assert first == "round 1 would have 2 matches; nothing was started"
    assert meeting.split() == ["house/greedy", "–", "house/random"]
    more = ladder(league, "start", made(league, "--repeats", 5), "--dry-run")
    assert more.stdout.splitlines()[1].split() == ["house/greedy", "–", "house/random", "5", "times"]
    assert document(ladder(league, "start", ident, "--dry-run", "--json"))["planned"] == 2
    assert document(ladder(league, "show", ident, "--json"))["rounds"] == []


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


def test_schedules_can_be_read_and_set(league: LiveLeague) -> None:
    ident = made(league, "--state", "running")
    assert ladder(league, "schedule", ident).stdout.startswith(
        "the next round waits for somebody to start it"
    )
    hourly = ladder(
        league, "schedule", ident, "--cron", "@hourly", "--seasons", "@weekly", "--timezone", "Asia/Omsk"
    )
    assert hourly.stdout.startswith("the next round waits for its time; next rounds: 20")
    assert "; the season ends 20" in hourly.stdout
    found = document(ladder(league, "schedule", ident, "--json"))
    assert found["season_schedule"] == {"cron": "@weekly", "timezone": "Asia/Omsk"}
    none = document(ladder(league, "schedule", ident, "--cron", "none", "--seasons", "none", "--json"))
    assert (none["schedule"], none["season_schedule"]) == (None, None)
    refused = ladder(league, "schedule", ident, "--cron", "0 0 31 2 *")
    assert (refused.exit_code, "(bad_value)" in refused.stderr) == (REFUSED, True)


def test_states_can_be_read_and_set_and_a_closed_ladder_ends_a_watch(league: LiveLeague) -> None:
    ident = made(league)
    assert ladder(league, "state", ident).stdout == "open\n"
    assert ladder(league, "state", ident, "paused").stdout == "paused\n"
    assert ladder(league, "state", ident, "closing").stdout == "closed\n"
    refused = ladder(league, "state", ident, "running")
    assert refused.exit_code == REFUSED
    (line,) = refused.stderr.splitlines()
    assert line.startswith("kozyr: a ladder that is closed ")
    assert line.endswith("(wrong_ladder_state)")
    assert ladder(league, "watch", ident).exit_code == 0


def test_the_standings_of_an_ended_season_remain_readable(league: LiveLeague) -> None:
    ident = made(league, "--seasons", "@monthly")
    refused = ladder(league, "seasons", ident, "--end")
    assert (refused.exit_code, refused.stderr.strip()[-14:]) == (REFUSED, "(season_empty)")
    assert ladder(league, "start", ident).exit_code == 0
    assert ladder(league, "watch", ident, "--round", "--every", 0.2).exit_code == 0
    ended = ladder(league, "seasons", ident, "--end")
    rows = [row.split() for row in ended.stdout.splitlines()]
    assert [row[0] for row in rows] == ["number", "2", "1"]
    assert rows[2][-1] in HOUSE
    now, before = (
        sum(each["deals"] for each in document(ladder(league, "show", ident, *season, "--json"))["standings"])
        for season in ([], ["--season", 1])
    )
    assert now == 0 < before
    shown = ladder(league, "show", ident).stdout
    assert ", season 2" in shown
    assert "seasons @monthly UTC" in shown


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
    refused = ladder(league, "rerun", ident, "0" * 28, "--reason", "r")
    assert refused.exit_code == REFUSED


def test_a_knock_out_shows_its_bracket(league: LiveLeague) -> None:
    ident = made(league, "--format", "knock_out", "--decks", "independent")
    assert ladder(league, "bracket", ident).stdout == "no winner yet\n"
    assert ladder(league, "start", ident).exit_code == 0
    assert ladder(league, "watch", ident, "--round", "--every", 0.2).exit_code == 0
    first, meeting, last = ladder(league, "bracket", ident).stdout.splitlines()
    assert (first, last.split(":")[0] in ("winner", "no winner yet")) == ("stage 1", True)
    assert "house/greedy" in meeting
    nothing = ladder(league, "bracket", made(league))
    assert (nothing.exit_code, "(no_bracket)" in nothing.stderr) == (REFUSED, True)


def test_ladders_are_listed_newest_first(league: LiveLeague) -> None:
    older, younger = made(league), made(league)
    found = document(ladder(league, "list", "--most", 2, "--json"))
    assert [each["id"] for each in found] == [younger, older]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("kozyr.cli.ladders.desk._PAGE", 1)
        assert document(ladder(league, "list", "--most", 2, "--json")) == found
    rows = ladder(league, "list", "--most", 1).stdout.splitlines()
    assert len(rows) == 2
    assert rows[1].split()[:3] == [younger, "Nightly", league.name]


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
        (["start", "l-no-such"], "(no_such_ladder)", REFUSED),
    ],
)
def test_a_refusal_is_one_clear_line(
    league: LiveLeague, words: Sequence[str], message: str, status: int
) -> None:
    result = ladder(league, *words)
    assert (result.exit_code, result.stdout) == (status, "")
    assert message in result.stderr.splitlines()[-1]
    assert "Traceback" not in result.stderr


def test_a_missing_owner_token_is_reported(league: LiveLeague) -> None:
    ident, bot = made(league), league.bot("no-owner")
    for token, message in (("kozyr_nothing", "(token_invalid)"), (bot.token, "(scope_missing)")):
        result = ladder(league, "start", ident, token=token)
        assert result.exit_code == REFUSED
        assert message in result.stderr


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


def test_a_watch_in_a_terminal_keeps_the_last_state_while_the_service_is_away(
    league: LiveLeague,
) -> None:
    ident = made(league)
    bot = league.bot("slow")
    playing(league, ident, bot)
    out = io.StringIO()
    with Client(league.service.url) as client:
        desk = Flaky(client)
        screen = Screen(Console(file=out, force_terminal=True, width=100))
        watch(desk, ident, screen, most=20, every_s=0.0, rounds_only=True)
    shown = out.getvalue()
    assert "round 1" in shown
    assert "━" in shown
    assert "house/greedy" in shown
    assert "the service does not answer; retrying: unreachable: no details" in shown
    assert desk.looks == 4


def playing(league: LiveLeague, ident: str, bot: LiveBot) -> None:
    """Start a round that waits for this bot."""
    assert ladder(league, "enter", ident, bot.name).exit_code == 0
    assert ladder(league, "start", ident).exit_code == 0


class Flaky(LadderClient):
    """A client that fails every other time, for a ladder whose round is over at the fourth successful read."""

    looks = 0

    def standing(self, ladder: str, most: int, season: int | None = None) -> LadderView:
        """Fail every other time."""
        self.looks += 1
        if self.looks == 2:
            raise KozyrError("unreachable", None)
        found = super().standing(ladder, most, season)
        if self.looks == 4:
            found.rounds[0]["state"] = "done"
        return found


def test_an_organiser_invites_bans_and_clears(league: LiveLeague) -> None:
    ident, guest = made(league), LiveLeague(league.service, "guest")
    assert ladder(league, "access", ident, "ban", guest.name, "--reason", "collusion").exit_code == 0
    assert ladder(league, "access", ident).stdout == f"{guest.name}  banned: collusion\n"
    refused = ladder(league, "access", ident, "invite", "nobody", guest.name)
    assert (refused.exit_code, "nobody" in refused.stderr) == (REFUSED, True)
    (rule,) = document(ladder(league, "access", ident, "--json"))
    assert (rule["name"], rule["rule"]) == (guest.name, "invited")
    assert ladder(league, "access", ident, "clear", guest.name).exit_code == 0
    assert document(ladder(league, "access", ident, "--json")) == []
    for wrong in (("ban",), ("jail", guest.name)):
        assert ladder(league, "access", ident, *wrong).exit_code == AWAY
    assert ladder(league, "access", ident, token=guest.token).exit_code == REFUSED
