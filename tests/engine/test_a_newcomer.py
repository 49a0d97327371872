"""A new game is one file, and everything else picks it up."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.ci


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the rules with one more file."""
    place = tmp_path_factory.mktemp("newcomer")
    shutil.copytree(ROOT / "engine", place / "engine", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "tests" / "engine" / "newcomer.py", place / "engine" / "games")
    return place


def output(place: Path, *command: str) -> str:
    """Run Python with these rules instead of the project's, and return its output."""
    environment = {**os.environ, "PYTHONPATH": f"{place}{os.pathsep}{ROOT}", "PYTHONSAFEPATH": "1"}
    done = subprocess.run(
        [sys.executable, *command], cwd=place, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


def test_the_openapi_document_has_the_options_and_observation_of_a_new_game(place: Path) -> None:
    script = """
import json, yaml
from server.app import openapi_texts
schemas = yaml.safe_load(openapi_texts()["openapi.yaml"])["components"]["schemas"]
print(json.dumps([schemas["Options"]["properties"], schemas["NewcomerObservation"]["properties"]]))
"""
    options, seen = json.loads(output(place, "-c", script))
    assert options["worth"]["maximum"] == 9
    assert seen["called"]["enum"] == ["even", "odd", None]
    assert seen["middle"]["items"]["prefixItems"][1]["pattern"]


def test_house_bots_play_a_new_game_and_its_records_verify(place: Path) -> None:
    output(
        place,
        *("-m", "kozyr.cli.main", "play", "greedy", "random", "--game", "newcomer", "--deals", "3"),
        *("--jobs", "1", "--out", str(place / "played.ndjson")),
    )
    records = [json.loads(line) for line in (place / "played.ndjson").read_text().splitlines()]
    assert {record["game"] for record in records} == {"newcomer"}
    assert all(len(record["scores"]) == 3 for record in records)


def test_the_adapters_offer_a_new_game(place: Path) -> None:
    script = """
import pyspiel
import adapters.open_spiel
from adapters.pettingzoo import env
from pettingzoo.test import api_test
pyspiel.random_sim_test(pyspiel.load_game("kozyr_newcomer(worth=3)"), num_sims=2, serialize=True, verbose=False)
api_test(env("newcomer"), num_cycles=100)
"""
    assert "Passed API test" in output(place, "-c", script)


def test_the_laws_hold_for_a_new_game(place: Path) -> None:
    # Import these rules before pytest imports those of the working copy.
    run = "import sys, engine.registry, pytest; sys.exit(pytest.main(sys.argv[1:]))"
    laws = str(ROOT / "tests" / "engine" / "test_laws.py")
    asked = ("-q", "-p", "no:cacheprovider", "--rootdir", str(ROOT), laws, "-k", "newcomer and not at_length")
    assert " passed" in output(place, "-c", run, *asked)
