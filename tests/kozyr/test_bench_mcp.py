"""`kozyr bench --mcp`: real MCP clients find their turns with the tools of `kozyr mcp`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from kozyr.cli.main import main
from records.endings.sets import endings_of

AGENT = Path(__file__).with_name("mcp_agent.py")
FEW = ("--game", "durak", "--groups", "1", "--against", "random")


@pytest.fixture(autouse=True)
def few_endings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kozyr.bench.plan.endings_of", lambda game: endings_of(game)[:4])


def bench(*words: str) -> tuple[int, str]:
    done = CliRunner(catch_exceptions=False).invoke(main, ["bench", *words])
    return done.exit_code, done.output


def result_of(agent: str, *words: str) -> dict[str, Any]:
    status, text = bench(agent, *words, "--json")
    assert status == 0, text
    found: dict[str, Any] = json.loads(next(line for line in text.splitlines() if line.startswith("{")))
    return found


@pytest.mark.ci
def test_a_client_plays_as_a_program_with_the_same_moves_does(tmp_path: Path) -> None:
    program = tmp_path / "first.py"
    program.write_text(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    print(json.loads(line)['observation']['legal_moves'][0], flush=True)\n",
        encoding="utf-8",
    )
    other = result_of(f"{sys.executable} {program}", *FEW)
    mine = result_of(f"model={sys.executable} {AGENT} {{config}} {{}}. 99", "--mcp", *FEW)
    assert mine["agent"] == "local/model"
    assert mine["endings"] == other["endings"]
    assert mine["answers"]["asked"] == mine["answers"]["mendings"]["mark"] == mine["answers"]["mended"]
    assert mine["answers"]["failed"] == mine["answers"]["refused"] == 0
    assert mine["anchors"][0]["matches"] == 2
    assert mine["anchors"][0]["forfeits"] == 0


def test_a_client_that_never_plays_is_named_with_the_reason() -> None:
    status, text = bench(f"{sys.executable} -c pass", "--mcp", "--game", "durak", "--groups", "0")
    assert status == 1
    assert "never gave a usable answer: the client ended 3 times without a move" in text
