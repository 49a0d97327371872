"""`kozyr admin`: an operator on the machine issues named admin tokens and revokes them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import redis
from click.testing import CliRunner, Result

from kozyr.cli.main import main
from league.accounts.tokens import Token, TokenKind
from league.ladders.settings import LadderSettings
from redisio.connection import Pipeline
from server.config.settings import load
from server.container import Container


@pytest.fixture
def environment(redis_url: str, redis_client: redis.Redis) -> dict[str, str]:
    """Return the environment of a service with an empty Redis."""
    return {"KOZYR_REDIS_URL": redis_url, "KOZYR_SECRET": "p" * 40}


def kozyr(environment: dict[str, str], *words: str) -> Result:
    return CliRunner().invoke(main, words, env=environment)


def known(environment: dict[str, str], text: str) -> Token | None:
    """Return what the service knows about a token, or `None`."""
    parts = Container(load(environment))
    pipeline = Pipeline(parts.redis)
    asked = parts.accounts.ask_token(pipeline, text)
    pipeline.go()
    return asked.answer


def test_a_token_is_issued_listed_and_revoked_and_each_has_its_line(environment: dict[str, str]) -> None:
    issued = kozyr(environment, "admin", "issue", "ann", "--days", "30", "--note", "her laptop")
    assert issued.exit_code == 0, issued.output
    text = issued.stdout.strip()
    token = known(environment, text)
    assert token is not None
    assert (token.kind, token.name, token.note) == (TokenKind.ADMIN, "ann", "her laptop")
    assert token.expires is not None
    assert token.id in issued.stderr
    assert text not in issued.stderr
    _, line = kozyr(environment, "admin", "list").stdout.splitlines()
    assert line.split()[:2] == [token.id, "ann"]
    assert text not in line
    assert kozyr(environment, "admin", "revoke", token.id, "--reason", "off duty").exit_code == 0
    assert known(environment, text) is None
    assert kozyr(environment, "admin", "list").stdout == "no admin tokens\n"
    reported = [json.loads(one) for one in kozyr(environment, "audit").stdout.splitlines()]
    assert [(one["action"], one["target"], one["by"]["token"]) for one in reported] == [
        ("revoke", f"token {token.id}", "cli"),
        ("issue", "admin ann", "cli"),
    ]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("issue", "admin"), 'the name "admin" is reserved'),
        (("issue", "A"), "2 to 32 of a-z"),
        (("revoke", "t-no-such"), "there is no valid token"),
    ],
)
def test_a_refusal_is_one_line(environment: dict[str, str], words: tuple[str, ...], expected: str) -> None:
    ended = kozyr(environment, "admin", *words)
    assert (ended.exit_code, ended.stdout) == (1, "")
    assert expected in ended.stderr


def test_an_owner_is_forgotten_and_the_log_names_the_pseudonym(environment: dict[str, str]) -> None:
    Container(load(environment)).accounts.create_owner("leokadia")
    refused = kozyr(environment, "admin", "forget", "leokadia")
    assert (refused.exit_code, "reason" in refused.stderr) == (1, True)
    done = kozyr(environment, "admin", "forget", "leokadia", "--reason", "leokadia asked", "--json")
    assert done.exit_code == 0, done.output
    pseudonym = json.loads(done.stdout)["name"]
    assert pseudonym.startswith("gone-")
    first = json.loads(kozyr(environment, "audit").stdout.splitlines()[0])
    assert (first["target"], first["reason"], first["outcome"]) == (
        f"owner {pseudonym}",
        f"{pseudonym} asked",
        "done",
    )
    assert kozyr(environment, "admin", "forget", "leokadia", "--reason", "again").exit_code == 1


def test_invitations_have_names_and_qr_codes_and_are_listed(
    environment: dict[str, str], tmp_path: Path
) -> None:
    words = ("--name", "Anna", "--name", "Boris", "--note", "class 10b", "--qr", str(tmp_path / "codes"))
    issued = kozyr(environment, "admin", "invite", *words, "--url", "https://kozyr.example/")
    assert issued.exit_code == 0, issued.output
    lines = [line.split("\t") for line in issued.stdout.splitlines()]
    assert [name for _, name in lines] == ["Anna", "Boris"]
    pictures = sorted((tmp_path / "codes").iterdir())
    assert [picture.name for picture in pictures] == ["001.svg", "002.svg"]
    assert all("<svg" in picture.read_text() for picture in pictures)
    table = kozyr(environment, "admin", "invitations", "--csv").stdout.splitlines()
    assert table[0] == "id,name,note,state,created,expires,used,owner,names_for"
    assert sorted(line.split(",")[1:4] for line in table[1:]) == [
        ["Anna", "class 10b", "open"],
        ["Boris", "class 10b", "open"],
    ]
    listed = json.loads(kozyr(environment, "admin", "invitations", "--json").stdout)
    assert {each["name"] for each in listed} == {"Anna", "Boris"}
    assert {each["names_for"] for each in listed} == {""}
    assert kozyr(environment, "admin", "invite", "--qr", str(tmp_path)).exit_code == 2


def test_an_operator_changes_the_state_of_a_ladder_and_withdraws_a_bot(environment: dict[str, str]) -> None:
    parts = Container(load(environment))
    owner, _ = parts.accounts.create_owner("teacher")
    ladder = parts.ladders.create(owner.id, LadderSettings("A", "durak", 2), state="open")
    parts.ladders.enter(ladder.id, parts.accounts.bot("house", "greedy"))
    for words in (("withdraw", ladder.id, "house/greedy"), ("ladder-state", ladder.id, "closing")):
        done = kozyr(environment, "admin", *words, "--reason", "the owner is away")
        assert done.exit_code == 0, done.output
    assert parts.ladders.get(ladder.id).state == "closed"
    assert parts.ladders.entries(ladder.id) == []
    assert kozyr(environment, "admin", "ladder-state", ladder.id, "none").exit_code == 1
