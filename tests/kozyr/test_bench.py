"""`kozyr bench`: known agents get known figures, an interrupted bench goes on, and other suits change nothing."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import textwrap
from pathlib import Path
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner

from kozyr.bench.agent import CountedChair
from kozyr.cli.main import main
from kozyr.local.match import BotAnswer, BotQuestion
from tests.support.waiting import eventually

ROOT = Path(__file__).parents[2]
NOWHERE = {"KOZYR_URL": "http://127.0.0.1:1", "KOZYR_TOKEN": "kozyr_x"}
FEW = ("--game", "durak", "--groups", "2", "--against", "greedy")


def bench(*words: str) -> tuple[int, str]:
    done = CliRunner(catch_exceptions=False).invoke(main, ["bench", *words], env=NOWHERE)
    return done.exit_code, done.output


def result_of(*words: str) -> dict[str, Any]:
    status, text = bench(*words, "--json")
    assert status == 0, text
    result: dict[str, Any] = json.loads(text.splitlines()[-1])
    return result


def program(folder: Path, text: str) -> str:
    path = folder / "agent.py"
    path.write_text("import json, sys\n" + textwrap.dedent(text), encoding="utf-8")
    return f"{sys.executable} {path}"


@pytest.mark.ci
def test_random_greedy_and_search_have_the_known_order_of_regret() -> None:
    regret = {
        agent: result_of(agent, "--game", "durak", "--groups", "0")["endings"]
        for agent in ("random", "greedy", "search:2")
    }
    assert 0.4 < regret["random"]["wrong"] / regret["random"]["decisions"] < 0.5
    assert 0.15 < regret["greedy"]["wrong"] / regret["greedy"]["decisions"] < 0.25
    assert regret["search:2"]["wrong"] == 0
    assert regret["greedy"]["high"] < regret["random"]["low"]
    for found in regret.values():
        assert found["decisions"] == 120
        assert found["low"] is None or found["low"] < found["regret"] < found["high"]


def test_the_report_has_points_regret_and_rates() -> None:
    result = result_of(
        "greedy", "--game", "durak", "--groups", "3", "--against", "random", "--against", "search:2"
    )
    weak, strong = result["anchors"]
    assert (weak["bot"], weak["matches"]) == ("house/random", 6)
    assert weak["lead"]["mean"] > 0.5
    assert strong["bot"] == "local/search-2"
    assert result["play"]["decisions"] > 0
    assert result["answers"]["asked"] > 60
    assert result["answers"]["refused"] == result["answers"]["failed"] == result["answers"]["mended"] == 0


def test_the_decks_are_the_same_for_every_agent_and_anchor(tmp_path: Path) -> None:
    decks = []
    for agent in ("random", "search:1"):
        file = tmp_path / f"{agent}.ndjson".replace(":", "-")
        bench(agent, *FEW, "--out", str(file))
        lines = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
        decks.append([line["match"]["shuffle"]["secret"] for line in lines if "match" in line])
    assert decks[0] == decks[1]
    assert len(set(decks[0])) == 2


class Remembering:
    """A chair that keeps what it was asked, and answers with the first move."""

    def __init__(self) -> None:
        self.seen: list[dict[str, Any]] = []

    def answer(self, question: BotQuestion) -> BotAnswer:
        self.seen.append(
            {"turn": question.turn(0), "events": question.events(0), "history": question.history()}
        )
        return BotAnswer(question.legal_moves()[0])


def test_a_relabelled_question_shows_nothing_of_the_suits_of_the_deck() -> None:
    """It is the question that the same deal asks when its deck is relabelled, in every form that bots receive."""
    from kozyr.bench.plan import BenchPlan
    from kozyr.bench.run import opened
    from kozyr.local.bots import bot
    from kozyr.local.match import Witness
    from kozyr.local.plan import CLOCK
    from records.endings.sets import endings_of

    plan = BenchPlan(bot("random"), (bot("greedy"),), "durak", {}, 2, 1, 0, CLOCK)
    suits = (3, 2, 0, 1)
    for ending in endings_of("durak")[::20]:
        asked = []
        for each, relabelling in ((ending, suits), (ending.relabelled(suits), (0, 1, 2, 3))):
            table = opened(each, plan)
            chair = Remembering()
            counted = CountedChair(chair)
            counted.suits = relabelling
            move = counted.answer(BotQuestion(table, each.seat, Witness(table.match), b"", Random(0))).move
            assert move in each.values
            asked.append(chair.seen)
        assert asked[0] == asked[1]


def test_mended_and_refused_answers_are_counted(tmp_path: Path) -> None:
    agent = program(
        tmp_path,
        """
        for number, line in enumerate(sys.stdin):
            move = json.loads(line)["observation"]["legal_moves"][0]
            print([f"`{move.upper()}`", move, "I pass the ace", f"{move}."][number % 4], flush=True)
        """,
    )
    result = result_of(agent, "--game", "durak", "--groups", "0")
    answers = result["answers"]
    assert (answers["asked"], answers["refused"], answers["failed"]) == (120, 30, 0)
    assert answers["mended"] == 60
    assert answers["mendings"]["fence"] == answers["mendings"]["mark"] == 30
    assert answers["mean_ms"] >= 0


@pytest.mark.parametrize("after", [0, 1, 57, 125])
def test_a_bench_that_was_cut_off_goes_on_to_the_same_result(tmp_path: Path, after: int) -> None:
    whole, cut = tmp_path / "whole.ndjson", tmp_path / "cut.ndjson"
    bench("random", *FEW, "--out", str(whole))
    lines = whole.read_bytes().splitlines(keepends=True)
    assert len(lines) == 1 + 120 + 4
    cut.write_bytes(b"".join(lines[:after]) + (lines[after][:20] if after < len(lines) else b""))
    result = result_of("random", *FEW, "--out", str(cut), "--resume")
    assert cut.read_bytes() == whole.read_bytes()
    assert result == result_of("random", *FEW)


@pytest.mark.ci
def test_a_signal_ends_the_bench_after_the_running_item(tmp_path: Path) -> None:
    out, go = tmp_path / "results.ndjson", tmp_path / "go"
    agent = program(
        tmp_path,
        f"""
        import os, time
        for number, line in enumerate(sys.stdin):
            while number == 3 and not os.path.exists({str(go)!r}):
                time.sleep(0.01)
            print(json.loads(line)["observation"]["legal_moves"][0], flush=True)
        """,
    )
    words = [sys.executable, "-m", "kozyr", "bench", agent, *FEW, "--move-ms", "600000", "--out", str(out)]
    with subprocess.Popen(
        words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        eventually(lambda: out.exists() and out.read_text("utf-8").count("\n") == 4)
        process.send_signal(signal.SIGINT)
        go.touch()
        printed, errors = process.communicate()
    assert process.returncode == 130, errors
    assert f"; continue with --out {out} --resume" in errors
    assert "regret per critical decision" in printed
    result = result_of(agent, *FEW, "--move-ms", "600000", "--out", str(out), "--resume")
    assert result["answers"]["asked"] > 60
    assert result["endings"] == result_of(agent, *FEW, "--move-ms", "600000")["endings"]


def test_a_file_of_another_bench_is_refused(tmp_path: Path) -> None:
    out = tmp_path / "results.ndjson"
    bench("random", *FEW, "--out", str(out))
    assert bench("random", *FEW, "--out", str(out)) == (
        2,
        f"kozyr: {out} is not empty: add --resume to continue it, or name another file\n",
    )
    assert bench("random", *FEW, "--out", str(out), "--resume", "--relabel", "1", "--seed", "3") == (
        2,
        f"kozyr: {out} has results of another bench (seed, relabel): name another file\n",
    )
    header = out.read_bytes().partition(b"\n")[0].decode()
    out.write_text('{"my": "data"}', encoding="utf-8")
    status, text = bench("random", *FEW, "--out", str(out), "--resume")
    assert (status, "no results of a bench" in text, out.read_text()) == (2, True, '{"my": "data"}')
    for number, lines in ((1, "no result\n"), (2, f"{header}\n{{}}\n"), (2, f"{header}\n7\n")):
        out.write_text(lines, encoding="utf-8")
        status, text = bench("random", *FEW, "--out", str(out), "--resume")
        assert (status, f"line {number} of {out} is no result" in text) == (2, True), text
        assert out.read_text(encoding="utf-8") == lines


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["greedy", "--game", "chess"], "expected one of durak, king, kryt, svoi_kozyri"),
        (["nobody", "--game", "durak"], "'nobody' is no bot"),
        (["greedy", "--game", "durak", "--seats", "9"], "seats"),
        (["greedy", "--game", "durak", "--option", "jokers=true"], "jokers"),
        (
            ["greedy", "--game", "durak", "--against", "search"],
            "an anchor is random, greedy or search:PLAYOUTS",
        ),
        (["greedy", "--game", "durak", "--against", "random", "--against", "random"], "names a bot twice"),
        (["greedy", "--game", "durak", "--against", "greedy"], "leaves no anchor"),
        (
            ["greedy", "--game", "kryt", "--seats", "3", "--groups", "0"],
            "kryt has no endgame set at this table",
        ),
        (["greedy", "--game", "durak", "--resume"], "--resume needs --out"),
        (["greedy", "--game", "durak", "--clock", "move_ms=1"], "--clock needs --service"),
        (["a/b", "--service", "--game", "durak", "--relabel", "1"], "--relabel goes without --service"),
        (["a/b", "--service", "--game", "durak", "--groups", "0"], "a service has no endgame set"),
        (
            ["a/b", "--service", "--game", "durak", "--against", "search:2"],
            "an anchor at a service is a house bot",
        ),
    ],
)
def test_bad_input_is_an_error_that_says_what_is_allowed(words: list[str], reason: str) -> None:
    status, text = bench(*words)
    assert status == 2
    assert reason in text
    assert "Traceback" not in text


@pytest.mark.parametrize(
    ("table", "name"),
    [
        (["--game", "king"], "king-1"),
        (["--game", "kryt"], "kryt-1"),
        (["--game", "svoi_kozyri"], "svoi_kozyri-1"),
        (["--game", "svoi_kozyri", "--option", "layout=besikovich"], "besikovich-1"),
        (["--game", "durak", "--option", "transfer=true"], "durak-transfer-1"),
        (["--game", "durak", "--seats", "4", "--option", "teams=true"], "durak-teams-1"),
    ],
)
def test_each_table_with_a_set_has_its_regret(table: list[str], name: str) -> None:
    plain, other = (result_of("random", *table, "--groups", "0", *more) for more in ((), ("--relabel", "1")))
    assert plain["set"] == other["set"] == name
    assert plain["endings"]["decisions"] == 120
    assert plain["endings"]["regret"] > 0
    assert plain["answers"]["refused"] == other["answers"]["refused"] == 0
