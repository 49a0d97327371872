"""Every command that has a result prints it as JSON with `--json`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command_line import kozyr, tournament
from tests.support.commands import leaves

WITHOUT = {
    "api",
    "clock",
    "demo",
    "redis",
    "up",
    "worker",
    "view",
    "openapi",
    "new-bot",
    "healthy",
    "audit",
}
"""Commands that run processes, write files, answer by their exit status, print one line, or always print JSON."""
RECORDS = Path(__file__).with_name("rate.ndjson")


def test_every_command_with_a_result_has_json() -> None:
    lacking = {
        " ".join(words)
        for words, command in leaves()
        if not any("--json" in parameter.opts for parameter in command.params)
    }
    assert lacking == WITHOUT


def test_a_tournament_is_one_document() -> None:
    words = ["--game", "durak", "--deals", "4", "--jobs", "1", "--json"]
    ended = kozyr("play", "greedy", "random", *words)
    assert ended.exit_code == 0, ended.output
    found = json.loads(ended.stdout)
    assert (found["game"], found["matches"], found["planned"]) == ("durak", 4, 4)
    assert {bot["bot"] for bot in found["bots"]} == {"house/greedy", "house/random"}
    assert {"mean", "low", "high"} <= found["bots"][0]["points_per_deal"].keys()
    (lead,) = found["differences"]
    assert (lead["bot"], lead["other"]) == ("house/greedy", "house/random")
    assert (found["sprt"], found["failures"]) == (None, [])


@pytest.mark.parametrize("wrong", [False, True])
def test_the_findings_of_verify_are_one_document(wrong: bool, tmp_path: Path) -> None:
    out = tournament(tmp_path / "records.ndjson")
    if wrong:
        record, *rest = [json.loads(line) for line in out.read_text().splitlines()]
        record["scores"] = [score + 1 for score in record["scores"]]
        out.write_text("".join(json.dumps(each) + "\n" for each in [record, *rest]))
    ended = kozyr("verify", "--json", str(out))
    found = json.loads(ended.stdout)
    assert ended.exit_code == (1 if wrong else 0)
    assert (found["records"], found["wrong"], found["unreadable"]) == (2, int(wrong), 0)
    assert bool(found["findings"]) is wrong
