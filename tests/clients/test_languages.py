"""The clients in `clients/`: their own tests, the conformance check, and 200 matches at once at a live service.

Run with `make clients`. A client whose toolchain is absent is skipped.
"""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from kozyr_client import Client, Turn
from tests.clients.conformance import passes_with_all_faults
from tests.clients.languages import LANGUAGES, ClientLanguage
from tests.live.league import LiveBot, LiveLeague
from tests.support.live import LiveService
from tests.support.waiting import eventually

pytestmark = [pytest.mark.clients, pytest.mark.live]

MATCHES = 200
FINISHING = 3
QUIET_CLOCK = {"move_ms": 60_000, "bank_ms": 0, "grace_ms": 250, "strikes": 3}


@pytest.fixture(scope="module", params=LANGUAGES, ids=lambda language: language.name)
def language(request: pytest.FixtureRequest) -> ClientLanguage:
    """A client whose toolchain is here."""
    language: ClientLanguage = request.param
    language.skip_unless_installed()
    return language


@pytest.fixture(scope="module")
def build(language: ClientLanguage, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of the client's own, after its toolchain was prepared."""
    folder = tmp_path_factory.mktemp(language.name)
    language.run(language.prepare, folder)
    return folder


@pytest.fixture(scope="module")
def first_bot(language: ClientLanguage, build: Path) -> list[str]:
    """The command that starts the first bot, which is built."""
    language.run(language.build, build)
    return language.command(language.first_bot, build)


def test_its_own_tests_pass(language: ClientLanguage, build: Path) -> None:
    language.run(language.test, build)


def test_its_first_bot_passes_the_conformance_check_with_every_fault(
    service: LiveService, language: ClientLanguage, first_bot: list[str]
) -> None:
    passes_with_all_faults(LiveLeague(service, f"check-{language.name}"), first_bot, language.folder)


def test_its_first_bot_plays_200_matches_at_once_without_a_timeout(
    service: LiveService, language: ClientLanguage, first_bot: list[str]
) -> None:
    league = LiveLeague(service, f"many-{language.name}")
    bot = league.bot("first")
    policy = {"match_policy": {"max_matches": 1000}}
    headers = {"Authorization": f"Bearer {league.token}"}
    league.http.patch(f"/v1/bots/{bot.name}", json=policy, headers=headers).raise_for_status()
    matches = [league.match([bot, "house/random"], clock=QUIET_CLOCK) for _ in range(MATCHES)]
    environment = {**os.environ, "KOZYR_URL": service.url, "KOZYR_TOKEN": bot.token}
    # A job in the background of a shell ignores Ctrl-C, and so would the program that it starts.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    process = subprocess.Popen(
        first_bot, cwd=language.folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    try:
        running = list(matches)
        eventually(lambda: all_finished(league, bot, running), "all matches end")
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 0, output.decode()
    for match in matches:
        record = league.record(match)
        assert record["ending"] == "rules"
        assert not [move for move in record["moves"] if "by" in move], "a move was made by a timeout"


def test_its_first_bot_finishes_its_matches_at_a_signal(
    service: LiveService, language: ClientLanguage, first_bot: list[str]
) -> None:
    league = LiveLeague(service, f"finish-{language.name}")
    bot, other = league.bot("first"), league.bot("other")
    matches = [league.match([bot, other], clock=QUIET_CLOCK) for _ in range(FINISHING)]
    begun: set[str] = set()
    all_begun, is_told = threading.Event(), threading.Event()

    def choose(turn: Turn) -> str:
        begun.add(turn.match)
        if len(begun) == FINISHING:
            all_begun.set()
            assert is_told.wait(120)
        return turn.legal_moves[0]

    with Client(service.url, other.token) as opponent:
        thread = threading.Thread(target=opponent.play, args=(choose,), kwargs={"until_finished": matches})
        environment = {**os.environ, "KOZYR_URL": service.url, "KOZYR_TOKEN": bot.token}
        signal.signal(signal.SIGINT, signal.default_int_handler)
        process = subprocess.Popen(
            first_bot, cwd=language.folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        try:
            thread.start()
            assert all_begun.wait(120)
            process.send_signal(signal.SIGINT)
            is_told.set()
            output, _ = process.communicate(timeout=120)
        finally:
            is_told.set()
            process.kill()
            opponent.stop()
            thread.join(60)
    assert process.returncode == 0, output.decode()
    for match in matches:
        record = league.record(match)
        assert record["ending"] == "rules"
        assert not [move for move in record["moves"] if "by" in move], "a move was made by a timeout"


def test_two_of_its_bots_find_each_other_match_after_match(
    service: LiveService, language: ClientLanguage, build: Path, first_bot: list[str]
) -> None:
    language.run(language.build_seeker, build)
    leagues = [LiveLeague(service, f"{side}-{language.name}") for side in ("left", "right")]
    bots = [league.bot("seeker") for league in leagues]
    processes = [
        subprocess.Popen(
            language.command(language.seeker, build),
            cwd=language.folder,
            env={**os.environ, "KOZYR_URL": service.url, "KOZYR_TOKEN": bot.token},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        for bot in bots
    ]
    try:
        for process in processes:
            output, _ = process.communicate(timeout=120)
            assert process.returncode == 0, output.decode()
    finally:
        for process in processes:
            process.kill()
    names = sorted(bot.name for bot in bots)
    played = {each["id"]: each for bot in bots for each in records(service, bot)}
    assert len(played) == 2
    for record in played.values():
        assert sorted(seat["bot"] for seat in record["seats"]) == names
        assert record["ending"] == "rules"
        assert not [move for move in record["moves"] if "by" in move], "a move was made by a timeout"
    entries = [leagues[0].get("/v1/queue", bot.token) for bot in bots]
    assert {entry["match"] for entry in entries} < set(played), "a bot joined the queue once too often"


def records(service: LiveService, bot: LiveBot) -> list[dict[str, Any]]:
    """Return the records of a bot's matches."""
    with Client(service.url, bot.token) as client:
        return list(client.records(bot=bot.name))


def all_finished(league: LiveLeague, bot: LiveBot, running: list[str]) -> bool:
    """Return whether all these matches are over, and drop those that are; a caller that repeats this is slowed."""
    time.sleep(0.5)
    while running and league.get(f"/v1/matches/{running[-1]}", bot.token)["status"] == "finished":
        running.pop()
    return not running
