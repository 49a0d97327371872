"""`kozyr check` at a real service, with real broken connections: which bots pass."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from kozyr_client import Client
from tests.support.live import LiveService

pytestmark = pytest.mark.live

CARELESS = """
import os, random, httpx

http = httpx.Client(base_url=os.environ["KOZYR_URL"], timeout=90, trust_env=False)
http.headers["Authorization"] = "Bearer " + os.environ["KOZYR_TOKEN"]
rng = random.Random(3)
while True:
    try:
        for turn in http.get("/v1/turns?wait=25").json().get("turns", ()):
            legal = turn["observation"]["legal_moves"]
            for move in rng.sample(legal, len(legal)):
                body = {"turn": turn["turn"], "move": move}
                if http.post(f"/v1/matches/{turn['match']}/moves", json=body).status_code != 503:
                    break
    except httpx.HTTPError:
        pass
"""
"""A bot that sends a different move after a 503."""


def token(service: LiveService, name: str) -> str:
    with Client(service.url) as client:
        owner = client.register_owner(name)["token"]
    with Client(service.url, owner) as mine:
        return str(mine.create_bot("fool")["token"])


def check(service: LiveService, token: str, *command: str) -> subprocess.CompletedProcess[str]:
    client = ["--client", "--", *command] if command else []
    return service.kozyr("check", service.url, "--token", token, *client)


@pytest.mark.parametrize("example", ["first_bot", pytest.param("careful_bot", marks=pytest.mark.ci)])
def test_an_example_bot_passes_with_every_fault(service: LiveService, example: str) -> None:
    secret = token(service, example.replace("_", "-"))
    program = str(Path("examples", f"{example}.py"))
    found = check(service, secret, sys.executable, program)
    assert (found.returncode, found.stdout.splitlines()[-1]) == (0, "passed"), found.stdout + found.stderr
    output = found.stdout
    assert output.count("a 503 ") == 3
    assert (
        output.count("connection ended") + output.count("half an answer") + output.count("no answer to") == 3
    )
    assert "delivered twice" in output
    assert "1.5 seconds before its deadline" in output


def test_a_bot_that_changes_its_move_after_a_503_fails_with_a_reason(
    service: LiveService,
) -> None:
    found = check(service, token(service, "careless"), sys.executable, "-c", CARELESS)
    assert found.returncode == 1, found.stdout + found.stderr
    assert "failed" in found.stdout.splitlines()
    assert "the bot must repeat the same move" in found.stdout
