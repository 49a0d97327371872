"""`kozyr compare` at a real service, with bots that play by themselves."""

from __future__ import annotations

import contextlib
import json
import random
import threading
from collections.abc import Iterator

import pytest
from click.testing import Result

from kozyr_client import Client, Turn
from tests.support.command_line import home, kozyr
from tests.support.live import LiveService
from tests.support.waiting import eventually

__all__ = ["home"]

pytestmark = pytest.mark.live


class ComparingAuthor:
    """An owner with the bots `fool` and `fool-next`, which play at random while `playing`."""

    def __init__(self, service: LiveService, name: str) -> None:
        self.service, self.name = service, name
        self.owner = json.loads(done("register", service.url, name, "--json"))["token"]
        self.names = (f"{name}/fool", f"{name}/fool-next")
        self.tokens = [
            json.loads(done("bot", "create", name.partition("/")[2], "--version", version, "--json"))["token"]
            for name, version in zip(self.names, ("1.0", "2.0"), strict=True)
        ]

    @contextlib.contextmanager
    def playing(self) -> Iterator[None]:
        """Let both bots play in threads."""
        with contextlib.ExitStack() as stack:
            clients = [
                stack.enter_context(Client(self.service.url, token, wait=1.0)) for token in self.tokens
            ]
            threads = [threading.Thread(target=each.play, args=[choose]) for each in clients]
            for thread in threads:
                thread.start()
            # A bot is online once it has asked for its turns.
            eventually(lambda: all(self.online(name) for name in self.names), "the bots are online")
            try:
                yield
            finally:
                for each in clients:
                    each.stop()
                for thread in threads:
                    thread.join()

    def online(self, name: str) -> bool:
        with self.service.http() as http:
            found = http.get(f"/v1/bots/{name}", headers={"Authorization": f"Bearer {self.owner}"})
            return bool(found.json()["online"])

    def compare(self, *words: object) -> Result:
        return kozyr("compare", *self.names, "--game", "durak", *words)

    def groups(self) -> list[str]:
        """Return the groups of this author's bots that are over."""
        with Client(self.service.url) as client:
            return sorted({record["group"] for record in client.records(bot=self.names[0])})


def choose(turn: Turn) -> str:
    return random.choice(turn.legal_moves)


def done(*words: object) -> str:
    result = kozyr(*words)
    assert result.exit_code == 0, result.output
    return result.stdout.strip()


def test_groups_are_played_and_added_up(service: LiveService) -> None:
    author = ComparingAuthor(service, "adding-up")
    with author.playing():
        ended = author.compare("--groups", 3, "--json")
        assert ended.exit_code == 0, ended.output
        found = json.loads(ended.stdout)
        assert (found["ending"], found["running"], found["unsure"]) == ("complete", [], False)
        assert sorted(group["group"] for group in found["groups"]) == author.groups()
        assert [(bot["bot"], bot["version"]) for bot in found["bots"]] == [
            (author.names[0], "1.0"),
            (author.names[1], "2.0"),
        ]
        one, other = (bot["points_per_deal"]["mean"] for bot in found["bots"])
        assert found["lead"]["mean"] == pytest.approx(one - other)
        shown = author.compare("--groups", 2, "--sprt", "0,2", "--option", "teams=false")
        assert shown.exit_code == 0, shown.output
    assert "LLR" in shown.stdout
    assert "after 2 groups; no verdict yet" in " ".join(shown.stdout.split())
