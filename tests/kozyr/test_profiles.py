"""Profiles: no token is lost, also if the file can't be written or several commands write it, and which one is used."""

from __future__ import annotations

import json
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any, cast

import pytest
from werkzeug import Request, Response

from kozyr.cli.author.pending import creation
from kozyr.cli.author.profiles import Profile, Profiles, profiles_path
from kozyr.cli.main import main
from kozyr_client import Client, KozyrError
from tests.support.answering import answering
from tests.support.command_line import home, kozyr
from tests.support.waiting import eventually

__all__ = ["home"]

PARALLEL = 8


class ProfileService:
    """A service of the owner `example` that creates whatever is asked for. `then` runs before each creation is
    answered."""

    def __init__(self) -> None:
        self.url = ""
        self.created: list[str] = []
        self.keys: list[str | None] = []
        self.deleted: list[str] = []
        self.then: Callable[[], object] = lambda: None

    def __call__(self, request: Request) -> Response:
        name = (request.get_json(silent=True) or {}).get("name")
        if request.method == "DELETE":
            self.deleted.append(request.path)
        if request.method == "POST":
            self.keys.append(request.headers.get("Idempotency-Key"))
            self.created.append(request.path)
            self.then()
        answers: dict[str, dict[str, Any]] = {
            "/v1/limits": {"version": version("kozyr"), "max_moves": 256},
            "/v1/token": {"id": "t1", "kind": "owner", "name": "example"},
            "/v1/owners": {"owner": {"name": name}, "token": "kozyr_owner"},
            "/v1/bots": {"bot": {"owner": "example", "bot": f"example/{name}"}, "token": f"kozyr_{name}"},
            "/v1/tokens/t1/rotate": {"token": "kozyr_rotated"},
            "/v1/tokens/t1": {},
        }
        return Response(json.dumps(answers[request.path]), mimetype="application/json")


@pytest.fixture
def service() -> Iterator[ProfileService]:
    fake = ProfileService()
    with answering(fake) as fake.url:
        yield fake


def make_unwritable() -> None:
    """Let nobody create the folder of the profiles, not even root."""
    folder = profiles_path().parent
    if folder.exists():
        for each in folder.iterdir():
            each.unlink()
        folder.rmdir()
    folder.symlink_to("nowhere/at-all")


def test_a_command_that_could_not_keep_a_token_asks_for_none(service: ProfileService) -> None:
    make_unwritable()
    ended = kozyr("register", service.url, "example")
    assert (ended.exit_code, service.created) == (2, [])
    assert "can't be written" in ended.stderr


@pytest.mark.parametrize(
    ("words", "token"),
    [
        (("register", "{url}", "example", "--profile", "new"), "kozyr_owner"),
        (("bot", "create", "fool"), "kozyr_fool"),
        (("token", "rotate"), "kozyr_rotated"),
    ],
    ids=lambda value: " ".join(value[:2]) if isinstance(value, tuple) else "",
)
@pytest.mark.parametrize("json_too", [[], ["--json"]], ids=["text", "json"])
def test_a_token_that_can_not_be_kept_is_printed(
    service: ProfileService, words: tuple[str, ...], token: str, json_too: list[str]
) -> None:
    Profiles().save("default", Profile(service.url, "example", "kozyr_old"))
    service.then = make_unwritable
    ended = kozyr(*(word.format(url=service.url) for word in words), *json_too)
    assert ended.exit_code == 2
    assert (json.loads(ended.stdout)["token"] if json_too else ended.stdout.strip()) == token
    assert "can't be written" in ended.stderr
    assert "this time only" in ended.stderr


@pytest.mark.parametrize(
    "words",
    [("register", "{url}", "example", "--profile", "new"), ("bot", "create", "fool"), ("token", "rotate")],
    ids=" ".join,
)
def test_a_killed_command_that_is_given_again_sends_the_same_key_until_it_has_the_answer(
    service: ProfileService, words: tuple[str, ...], home: Path
) -> None:
    Profiles().save("default", Profile(service.url, "example", "kozyr_old"))
    command = [word.format(url=service.url) for word in words]
    processes: list[subprocess.Popen[bytes]] = []
    service.then = lambda: eventually(lambda: processes, "the process is known")[0].kill()
    processes.append(subprocess.Popen([sys.executable, "-m", "kozyr", *command]))
    processes[0].wait(60)
    service.then = lambda: None
    (pending,) = (path for path in profiles_path().parent.iterdir() if path.name.startswith("pending"))
    assert stat.S_IMODE(pending.stat().st_mode) == 0o600
    assert kozyr(*command).exit_code == 0
    assert not pending.exists()
    Profiles().remove(Profiles().current)
    Profiles().save("default", Profile(service.url, "example", "kozyr_old"))
    assert kozyr(*command).exit_code == 0
    first, second, third = service.keys
    assert first == second != third
    assert service.deleted == (["/v1/tokens/t1"] * 2 if words == ("token", "rotate") else [])


@pytest.mark.parametrize(
    ("status", "retryable", "kept"),
    [(409, False, False), (409, True, True), (503, True, True), (None, True, True)],
)
def test_a_refusal_forgets_the_key_and_a_missing_answer_keeps_it(
    status: int | None, retryable: bool, kept: bool, tmp_path: Path
) -> None:
    class Refusing:
        url = "http://refusing"

        def request(self, *_: object, **__: object) -> object:
            raise KozyrError("some_code", status, {"retryable": retryable})

    with pytest.raises(KozyrError), creation(cast("Client", Refusing()), "/v1/owners", {}, tmp_path):
        pytest.fail("there is no answer")
    assert bool(list(tmp_path.iterdir())) == kept


def test_parallel_commands_keep_all_their_tokens(service: ProfileService) -> None:
    Profiles().save("default", Profile(service.url, "example", "kozyr_owner"))
    names = [f"racer{number}" for number in range(PARALLEL)]
    together = threading.Barrier(PARALLEL)
    service.then = lambda: together.wait(60)

    def create(name: str) -> None:
        with pytest.raises(SystemExit):
            main(["bot", "create", name])

    # Each command reads the profiles before any of them has written its token.
    runs = [threading.Thread(target=create, args=[name]) for name in names]
    for run in runs:
        run.start()
    for run in runs:
        run.join()
    assert Profiles().known["default"].bots == {name: f"kozyr_{name}" for name in names}


def test_a_token_comes_through_a_pipe_or_is_missed_in_one_sentence(service: ProfileService) -> None:
    assert kozyr("login", service.url, input="kozyr_owner\n").stderr == ""
    assert Profiles().known["default"].token == "kozyr_owner"
    ended = kozyr("login", service.url, input="")
    assert (ended.exit_code, ended.stderr.count("\n")) == (2, 1)
    assert "there is no token: type it in a terminal" in ended.stderr


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--bot", "foo"], "profile o2 (other at http://127.0.0.1:1) has no bot 'foo' (it has: first, second): create "
                           "it with `kozyr bot create foo`, or choose another profile with --profile (known: default, "
                           "empty, o2)"),
        (["--bot", "other/foo"], "profile o2 (other at http://127.0.0.1:1) has no bot 'foo' (it has: first, second)"),
        (["--profile", "empty"], "profile empty (nobody at http://127.0.0.1:2) has no bots: create one with `kozyr bot "
                                 "create NAME`, or choose another profile with --profile (known: default, empty, o2)"),
        ([], "profile o2 (other at http://127.0.0.1:1) has several bots (first, second): choose one with --bot"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)  # fmt: skip
def test_an_unknown_bot_is_answered_with_the_bots_and_profiles_there_are(
    words: list[str], sentence: str
) -> None:
    Profiles().save("default", Profile("http://127.0.0.1:1", "example", "t", {"fool": "t1"}))
    Profiles().save("empty", Profile("http://127.0.0.1:2", "nobody", "t"))
    Profiles().save("o2", Profile("http://127.0.0.1:1", "other", "t", {"second": "t1", "first": "t2"}))
    ended = kozyr("challenge", "house/greedy", *words)
    assert ended.exit_code == 2
    assert ended.stderr.startswith(f"kozyr: {sentence}")
    assert ended.stderr.count("\n") == 1


def test_profiles_are_listed_chosen_and_removed() -> None:
    assert kozyr("profile", "list").stdout.startswith("no profiles; ")
    Profiles().save(
        "home", Profile("http://127.0.0.1:1", "example", "kozyr_secret", {"fool": "kozyr_hidden"})
    )
    Profiles().save("work", Profile("http://127.0.0.1:2", "other"))
    listed = json.loads(kozyr("profile", "list", "--json").stdout)
    assert listed == [
        {
            "profile": "home",
            "in_use": False,
            "url": "http://127.0.0.1:1",
            "owner": "example",
            "bots": ["fool"],
        },
        {"profile": "work", "in_use": True, "url": "http://127.0.0.1:2", "owner": "other", "bots": []},
    ]
    assert "kozyr_" not in kozyr("profile", "list").stdout
    assert kozyr("profile", "use", "home").exit_code == 0
    assert Profiles().current == "home"
    removed = kozyr("profile", "remove", "home")
    assert "work is in use now" in removed.stdout
    assert "stay valid" in removed.stderr
    assert (Profiles().current, list(Profiles().known)) == ("work", ["work"])
    for words in (["use", "home"], ["remove", "home"]):
        ended = kozyr("profile", *words)
        assert (ended.exit_code, ended.stderr) == (2, "kozyr: there is no profile 'home' (known: work)\n")
