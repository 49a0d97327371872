"""`kozyr bench --service`: a bot that its owner runs is measured at a real service, against house bots."""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kozyr_client import Client, Turn
from records.results.points import Tally
from tests.support.command_line import home, kozyr
from tests.support.live import ROOT, LiveService
from tests.support.waiting import eventually

__all__ = ["home"]

pytestmark = pytest.mark.live

SLOW = ("--clock", "move_ms=600000")
"""A clock that outlasts a test, so that no group ends while the bot is stopped."""
PATIENCE_S = 120.0
FEW = ("--game", "durak", "--groups", 2, "--against", "random", "--against", "house/greedy")


class BenchedBot:
    """The bot `fool` of an owner. It plays its first move while `playing`, and reports what it used."""

    def __init__(self, service: LiveService, owner: str) -> None:
        self.service, self.name = service, f"{owner}/fool"
        assert kozyr("register", service.url, owner).exit_code == 0
        made = kozyr("bot", "create", "fool", "--json")
        self.token: str = json.loads(made.stdout)["token"]

    @contextlib.contextmanager
    def playing(self) -> Iterator[None]:
        with Client(self.service.url, self.token, wait=1.0) as client:
            thread = threading.Thread(target=client.play, args=[choose])
            thread.start()
            try:
                yield
            finally:
                client.stop()
                thread.join()

    def bench(self, *words: object) -> dict[str, Any]:
        done = kozyr("bench", self.name, "--service", *words, "--json")
        assert done.exit_code == 0, done.output
        found: dict[str, Any] = json.loads(done.stdout)
        return found

    def records(self) -> list[dict[str, Any]]:
        with Client(self.service.url) as client:
            return list(client.records(bot=self.name))


def choose(turn: Turn) -> str:
    turn.facts = {"input_tokens": 100, "cost_micro_usd": 7, "mended": ["case"]}
    return turn.legal_moves[0]


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_a_bot_at_a_service_is_measured_by_points_regret_and_facts(
    service: LiveService, tmp_path: Path
) -> None:
    bot, out = BenchedBot(service, "benched"), tmp_path / "results.ndjson"
    with bot.playing():
        found = bot.bench(*FEW, "--out", out)
        # A bench that is complete goes on to the same result, and starts nothing.
        assert bot.bench(*FEW, "--out", out, "--resume") == found
    records = bot.records()
    assert len(records) == 8
    assert {record["id"] for line in lines_of(out)[1:] for record in line.get("matches", ())} == {
        record["id"] for record in records
    }
    for anchor in found["anchors"]:
        tally = Tally()
        for record in records:
            if anchor["bot"] in [seat["bot"] for seat in record["seats"]]:
                tally.add(record)
        names = {name: ident for ident, name in tally.bots.items()}
        assert anchor["lead"] == tally.difference(names[bot.name], names[anchor["bot"]]).to_json()
        assert (anchor["matches"], anchor["forfeits"]) == (4, 0)
    answers = found["answers"]
    moves = [move for record in records for move in own_moves(record, bot.name)]
    assert answers["asked"] == len(moves) > 0
    assert answers["ms"] == sum(move["ms"] for move in moves)
    assert (answers["mended"], answers["mendings"]) == (len(moves), {"case": len(moves)})
    assert (answers["input_tokens"], answers["output_tokens"]) == (100 * len(moves), None)
    assert answers["cost_micro_usd"] == 7 * len(moves)
    assert (answers["refused"], answers["failed"]) == (0, 0)
    critical = [decision for line in lines_of(out)[1:] for decision in line.get("critical", ())]
    assert (found["play"] or {"decisions": 0})["decisions"] == len(critical)
    assert found["endings"] is None
    shown = kozyr("bench", bot.name, "--service", *FEW, "--out", out, "--resume").stdout
    assert f"{bot.name} in durak for 2, at {service.url}\n" in shown
    assert "ahead of house/greedy: " in shown


def own_moves(record: dict[str, Any], name: str) -> list[dict[str, Any]]:
    seats = [seat for seat, sitting in enumerate(record["seats"]) if sitting["bot"] == name]
    return [move for move in record["moves"] if move["seat"] in seats and "ms" in move]


def test_a_bench_that_was_cut_off_finds_the_groups_that_went_on_without_it(
    service: LiveService, tmp_path: Path
) -> None:
    bot, out = BenchedBot(service, "cut-off-benched"), tmp_path / "results.ndjson"
    words = [bot.name, "--service", "--game", "durak", "--groups", "3", "--against", "random", *SLOW]
    with subprocess.Popen(
        [sys.executable, "-m", "kozyr", "bench", *words, "--out", str(out)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        eventually(lambda: out.exists() and out.read_text("utf-8").count("\n") == 4, "all groups are started")
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130, errors
    assert f"stopped after 0 of 3 groups; continue with --out {out} --resume" in errors
    with bot.playing():
        found = bot.bench(*words[2:], "--out", out, "--resume")
    assert found["anchors"][0]["matches"] == 6
    assert len(bot.records()) == 6
