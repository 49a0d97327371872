"""`kozyr play`: bots of every kind, any number of processes, and the files after an interrupted run."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from kozyr.cli.main import main
from kozyr.local.bots import BadBot, bot
from tests.support.waiting import eventually

GOOD = """
import json, sys
for line in sys.stdin:
    turn = json.loads(line)
    assert turn["observation"]["legal_moves"] and turn["table"]["seats"] == 2, turn
    print("thought about turn", turn["turn"], file=sys.stderr)
    print(turn["observation"]["legal_moves"][0], flush=True)
"""
ENDS = """
import sys
sys.stdin.readline()
sys.exit("no idea")
"""
STALLS = """
import json, sys, time
print(json.loads(sys.stdin.readline())["observation"]["legal_moves"][0], flush=True)
while True:
    time.sleep(3600)
"""
KILLS = """
import os, signal
input()
os.kill(os.getppid(), signal.SIGKILL)
"""
CHATTERS = """
import sys
for line in sys.stdin:
    print("hello\\nworld", flush=True)
"""
CLASSES = """
class First:
    version = "3"
    def choose(self, game, observation, legal_moves, rng):
        return legal_moves[0]
class Historian:
    def think(self, game, observation, legal_moves, history, rng):
        assert history[0]["type"] == "deal"
        return rng.choice(legal_moves)
class Raises:
    def choose(self, game, observation, legal_moves, rng):
        raise RuntimeError("my mistake")
class Leaves:
    def choose(self, game, observation, legal_moves, rng):
        raise SystemExit
class Unprintable:
    def choose(self, game, observation, legal_moves, rng):
        print("\\ud801")
        raise ValueError("\\ud800")
class Unmade:
    def __init__(self):
        raise RuntimeError("no model")
    choose = None.__eq__
class Kills:
    def choose(self, game, observation, legal_moves, rng):
        import os, signal
        os.kill(os.getpid(), signal.SIGKILL)
class Loops:
    def choose(self, game, observation, legal_moves, rng):
        while True:
            pass
class Mute:
    pass
"""
PRINTS = """
import logging, os, sys
logging.basicConfig(level="INFO")
print("imported")
class Prints:
    def __init__(self):
        print("made")
    def choose(self, game, observation, legal_moves, rng):
        print("thought")
        logging.info("logged")
        print("complained", file=sys.stderr)
        os.write(1, b"from native code\\n")
        return legal_moves[0]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the working directory, which has bots in it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(Path(__file__).parents[2]), str(tmp_path)]))
    monkeypatch.syspath_prepend(str(tmp_path))
    for name, text in {
        "good": GOOD,
        "ends": ENDS,
        "stalls": STALLS,
        "chatters": CHATTERS,
        "kills": KILLS,
    }.items():
        (tmp_path / f"{name}.py").write_text(text)
    (tmp_path / "my_bots.py").write_text(CLASSES)
    (tmp_path / "prints.py").write_text(PRINTS)
    return tmp_path


def kozyr_play(*words: str) -> Result:
    return CliRunner().invoke(main, ["play", *words], env={"COLUMNS": "200"})


def program(name: str) -> str:
    return f"{name}={sys.executable} {name}.py"


def records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def durak(*words: str, deals: int = 4) -> Result:
    return kozyr_play("--game", "durak", "--deals", str(deals), "--jobs", "1", *words)


def test_house_bots_play_and_the_result_is_shown(folder: Path) -> None:
    ended = durak("greedy", "random", "--out", "records.ndjson", deals=10)
    assert ended.exit_code == 0, ended.output
    standings = [line.split() for line in ended.output.splitlines()]
    assert standings[1][0] == "house/greedy"
    assert standings[2][:2] == ["house/random", "-0.900"]
    assert len(records(folder / "records.ndjson")) == 10


@pytest.mark.parametrize(("bots", "matches"), [("greedy search:2 random", 6), ("greedy random", 2)])
def test_any_number_of_processes_gives_the_same_file(folder: Path, bots: str, matches: int) -> None:
    for jobs in ("1", "3"):
        words = (*bots.split(), "--game", "durak", "--deals", "2", "--seed", "3")
        ended = kozyr_play(*words, "--jobs", jobs, "--out", jobs)
        assert ended.exit_code == 0, ended.output
    assert (folder / "1").read_bytes() == (folder / "3").read_bytes()
    assert len(records(folder / "1")) == matches


def test_a_program_that_is_started_again_reads_the_events_of_the_current_deal_only(folder: Path) -> None:
    (folder / "again.py").write_text(
        """
import json, sys
for number, line in enumerate(sys.stdin):
    turn = json.loads(line)
    if number == 0:
        print(turn["deal"], turn["events"][0]["n"], turn["events"][0].get("deal"), file=open("firsts", "a"))
    if number == 4:
        sys.exit(1)
    print(turn["observation"]["legal_moves"][0], flush=True)
"""
    )
    kozyr_play(f"{sys.executable} again.py", "greedy", "--game", "king", "--deals", "12", "--jobs", "1")
    firsts = [line.split() for line in (folder / "firsts").read_text().splitlines()]
    later = [(deal, event_deal) for deal, _, event_deal in firsts if deal != "1"]
    assert later
    assert all(deal == event_deal for deal, event_deal in later)
    assert {number for deal, number, _ in firsts if deal == "1"} == {"1"}


def test_programs_and_classes_play_beside_house_bots(folder: Path) -> None:
    ended = durak(
        program("good"), "my_bots:First", "my_bots:Historian", "greedy", "--logs", "said", "--out", "out"
    )
    assert ended.exit_code == 0, ended.output
    found = records(folder / "out")
    assert {record["ending"] for record in found} == {"rules"}
    seats = {(seat["bot"], seat["version"]) for record in found for seat in record["seats"]}
    assert seats == {
        ("local/good", "1"), ("local/first", "3"), ("local/historian", "1"), ("house/greedy", "1")
    }  # fmt: skip
    assert "thought about turn" in (folder / "said" / "good.log").read_text()


@pytest.mark.parametrize(
    ("failing", "reason"),
    [
        (
            program("ends"),
            "it ended with status 1: read turns until the input ends, and see its standard error (no idea)",
        ),
        (program("stalls"), "no answer in time"),
        (program("chatters"), "it wrote more than one line for one turn"),
        ("my_bots:Raises", "it raised RuntimeError: my mistake"),
        ("my_bots:Leaves", "it raised SystemExit"),
        ("my_bots:Unprintable", "it raised ValueError: \\ud800"),
        ("my_bots:Unmade", "it raised RuntimeError: no model"),
        ("my_bots:Loops", "no answer within 50 ms"),
    ],
)
def test_a_bot_that_fails_costs_itself_the_match_and_nobody_the_tournament(
    folder: Path, failing: str, reason: str
) -> None:
    ended = durak(failing, "greedy", "--move-ms", "50", "--strikes", "1", "--out", "out", deals=2)
    answers_once = failing == program("stalls")
    assert ended.exit_code == (0 if answers_once else 1), ended.output
    assert reason in ended.output
    assert ("never gave a usable answer" in ended.stderr) is not answers_once
    found = records(folder / "out")
    assert len(found) == 2
    for record in found:
        loser = next(seat for seat, one in enumerate(record["seats"]) if one["bot"].startswith("local/"))
        assert (record["ending"], record["forfeits"]) == ("forfeit", [loser])
        assert record["moves"][-1]["by"] == "timeout"


def test_a_tournament_stops_when_fewer_than_two_bots_ever_answer(folder: Path) -> None:
    ended = durak("greedy", "python missing.py", "--strikes", "1", "--out", "out", deals=200)
    assert ended.exit_code == 1
    assert "can't open file" in ended.stderr
    assert "stopped after 3 of 200 matches: fewer than two bots can play" in ended.stdout
    assert len(records(folder / "out")) == 3


@pytest.mark.parametrize(
    ("killing", "advice"),
    [
        (
            program("kills"),
            "it failed, or something killed it, such as a lack of memory; fewer --jobs need less",
        ),
        ("my_bots:Kills", "a class of yours may have brought it down; give the bot as a program"),
    ],
)
def test_a_process_that_dies_ends_the_tournament_with_advice(folder: Path, killing: str, advice: str) -> None:
    ended = durak(killing, "greedy", deals=2)
    assert ended.exit_code == 1
    assert ended.stderr.startswith(f"kozyr: a process ended (-9) while it played match 0: {advice}")


def test_the_program_of_the_guide_plays(folder: Path) -> None:
    guide = (Path(__file__).parents[2] / "docs" / "local-play.md").read_text()
    (folder / "guide.py").write_text(guide.split("A whole bot:")[1].split("```python\n")[1].split("```")[0])
    ended = durak(program("guide"), "random", "--out", "out", deals=2)
    assert ended.exit_code == 0, ended.output
    assert {record["ending"] for record in records(folder / "out")} == {"rules"}
    assert "no usable answer" not in ended.output


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_what_a_class_prints_is_in_its_log_and_not_among_the_results(folder: Path, jobs: str) -> None:
    words = [sys.executable, "-m", "kozyr.cli.main", "play", "prints:Prints", "my_bots:First"]
    words += ["--game", "durak", "--deals", "2", "--jobs", jobs, "--logs", "said", "--json"]
    (folder / "said").mkdir()
    (folder / "said" / "mine.log").touch()
    ended = subprocess.run(words, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout)["matches"] == 2
    where = "kozyr: the bots' standard error is in said"
    assert set(ended.stderr.splitlines()) == {"imported", "from native code", where}
    assert {each.name for each in (folder / "said").iterdir()} == {"prints.log", "mine.log"}
    said = (folder / "said" / "prints.log").read_text().splitlines()
    assert said[:2] == ["imported", "made"]
    assert set(said) == {"imported", "made", "thought", "INFO:root:logged", "complained"}


def test_resuming_an_interrupted_file_gives_the_same_file(folder: Path) -> None:
    words = ("greedy", "random", "--seed", "5")
    durak(*words, "--out", "whole", deals=12)
    whole = (folder / "whole").read_bytes()
    lines = whole.splitlines(keepends=True)
    (folder / "part").write_bytes(b"".join(lines[:5]) + lines[5][:100])
    ended = durak(*words, "--out", "part", "--resume", deals=12)
    assert ended.exit_code == 0, ended.output
    assert (folder / "part").read_bytes() == whole
    again = durak(*words, "--out", "part", "--resume", deals=12)
    assert again.output == ended.output


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_full_disk_is_one_sentence_and_loses_nothing_finished(folder: Path, jobs: str) -> None:
    words = ("greedy", "random", "--game", "durak", "--deals", "20", "--jobs", jobs, "--out", "out")
    limited = ["sh", "-c", 'ulimit -f 16; exec "$@"', "sh", sys.executable, "-m", "kozyr.cli.main", "play"]
    ended = subprocess.run([*limited, *words], capture_output=True, text=True)
    assert ended.returncode == 2, ended.stderr
    assert ended.stderr.startswith("kozyr: out can't be written to: ")
    assert ended.stderr.endswith("continue with --out out --resume\n")
    assert ended.stderr.count("\n") == 1
    assert (folder / "out").read_bytes().count(b"\n") >= 1
    again = kozyr_play(*words, "--resume")
    assert again.exit_code == 0, again.output
    kozyr_play(*words[:-1], "whole")
    assert (folder / "out").read_bytes() == (folder / "whole").read_bytes()


def test_a_tournament_can_be_extended_with_more_deals(folder: Path) -> None:
    durak("greedy", "random", "--out", "out", deals=4)
    few = (folder / "out").read_bytes()
    durak("greedy", "random", "--out", "out", "--resume", deals=8)
    assert (folder / "out").read_bytes().startswith(few)
    assert len(records(folder / "out")) == 8


def test_a_file_of_something_else_is_not_written_over(folder: Path) -> None:
    durak("greedy", "random", "--out", "out")
    before = (folder / "out").read_bytes()
    (folder / "notes").write_text("not a record\n")
    (folder / "wrong").write_text(json.dumps({**records(folder / "out")[0], "moves": [1]}) + "\n")
    for words, why in (
        (("--out", "out"), "--resume"),
        (("--out", "out", "--resume", "--seed", "9"), "not of this tournament"),
        (("--out", "notes", "--resume"), "line 1 of notes is not a record"),
        (("--out", "wrong", "--resume"), "a record of wrong: "),
    ):
        ended = durak("greedy", "random", *words)
        assert (ended.exit_code, why in ended.output) == (2, True), ended.output
    assert (folder / "out").read_bytes() == before


@pytest.mark.parametrize(
    ("jobs", "number", "status"),
    [("1", signal.SIGINT, 130), ("2", signal.SIGINT, 130), ("2", signal.SIGTERM, 143)],
)
def test_an_interrupted_tournament_loses_nothing_finished(
    folder: Path, jobs: str, number: signal.Signals, status: int
) -> None:
    words = [sys.executable, "-m", "kozyr.cli.main", "play", "greedy", "random", "--game", "durak", "--deals"]
    words += ["100000", "--jobs", jobs, "--out", "out"]
    out = folder / "out"
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        eventually(lambda: out.exists() and out.read_bytes().count(b"\n") >= 5)
        process.send_signal(number)
        output, _ = process.communicate(timeout=60)
    assert process.returncode == status, output
    kept = records(out)
    assert f"stopped after {len(kept)} of 100000 matches; continue with --out out --resume" in output
    assert "house/greedy" in output


def test_a_test_of_two_bots_stops_by_itself_and_is_the_same_in_any_number_of_processes(folder: Path) -> None:
    words = ("greedy", "random", "--game", "durak", "--deals", "2000", "--sprt", "0,0.5")
    ended = [kozyr_play(*words, "--jobs", jobs, "--out", jobs) for jobs in ("1", "2")]
    assert "H1 is accepted: house/greedy is ahead of house/random" in ended[0].output
    assert ended[0].output == ended[1].output
    assert (folder / "1").read_bytes() == (folder / "2").read_bytes()
    assert len(records(folder / "1")) < 100


@pytest.mark.parametrize(
    ("words", "right"),
    [
        (("greedy", "random", "--game", "poker"), "durak, king, kryt, svoi_kozyri"),
        (("greedy", "random", "--game", "durak", "--seats", "9"), "2, 3, 4, 5, 6"),
        (("greedy", "random", "--game", "durak", "--option", "teams"), "NAME=VALUE"),
        (("greedy", "random", "--game", "durak", "--option", "teams=7"), "teams"),
        (("greedy", "random", "--game", "durak", "--sprt", "1"), "--sprt 0,0.1"),
        (("greedy", "random", "--game", "durak", "--sprt", "1,0"), "below"),
        (("greedy", "random", "search:9", "--game", "durak", "--sprt", "0,1"), "3 were given"),
        (("greedy", "greedy", "--game", "durak"), "each bot once"),
        (("greedy", "random", "--game", "durak", "--resume"), "--out"),
        (
            ("greedy", "random", "--game", "durak", "--logs", "/dev/null/x"),
            "the folder of --logs can't be used: ",
        ),
        (
            ("greedy", "random", "--game", "durak", "--logs", "/proc/self"),
            "the folder of --logs can't be used: ",
        ),
    ],
)
def test_wrong_arguments_are_reported_with_what_is_allowed(words: tuple[str, ...], right: str) -> None:
    ended = kozyr_play(*words)
    assert ended.exit_code == 2
    assert right in ended.output
    assert "Traceback" not in ended.output


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("gredy", "Did you mean greedy?"),
        ("search:0", "no bot"),
        ("no_such_module:Bot", "can't be imported"),
        ("my_bots:Nobody", "can't be imported"),
        ("my_bots:Mute", "neither `choose` nor `think`"),
        ("Big Name=my_bots:First", "no bot"),
        ("BIG=my_bots:First", "use 1 to 32 characters"),
        ("mine=greedy", "keeps its name"),
        ("python 'unclosed", "as a command"),
    ],
)
def test_a_wrong_bot_is_reported_with_its_reason(folder: Path, text: str, why: str) -> None:
    with pytest.raises(BadBot, match=why):
        bot(text)


@pytest.mark.parametrize(
    ("text", "name", "house"),
    [
        ("greedy", "house/greedy", True),
        ("house/search-100ms", "house/search-100ms", True),
        ("search:200", "local/search-200", False),
        ("deep=search:200", "local/deep", False),
        ("my_bots:First", "local/first", False),
        (f"{sys.executable} good.py --fast", "local/good", False),
        (f"mine={sys.executable} good.py", "local/mine", False),
    ],
)
def test_a_bot_has_a_name(folder: Path, text: str, name: str, house: bool) -> None:
    found = bot(text).seat
    assert (found.bot, found.house) == (name, house)
