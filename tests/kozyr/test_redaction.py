"""No log line has a secret, at any position and from any logger."""

from __future__ import annotations

import json
import logging
import subprocess
import sys

import pytest

from league.accounts.service import Accounts
from server.logs.redaction import HIDDEN, Redaction

TOKEN = "kozyr_" + "abcdefgh" * 4
SECRETS = [
    f"Authorization: Bearer {TOKEN}",
    f"the token {TOKEN} is good",
    "authorization: bearer opaque-text-of-somebody",
    "Basic dXNlcjpwYXNz",
    "the code invite_abcdefghijkmnpqrstuvwxyz23",
    "redis://kozyr:hunter2hunter2@redis.example:6379/0 is away",
    "rediss://:hunter2hunter2@redis.example",
]


@pytest.mark.parametrize("text", SECRETS)
def test_a_secret_is_recognised_by_its_form(text: str) -> None:
    hidden = Redaction().text(text)
    assert HIDDEN in hidden
    for secret in (TOKEN, "abcdefghabcdefgh", "opaque", "dXNlcjpwYXNz", "hunter2", "ijkmnpqrstuvwxyz23"):
        assert secret not in hidden


def test_every_token_and_invitation_has_the_form() -> None:
    class Store:
        def __getattr__(self, name: str) -> object:
            return lambda *_: "ok"

    accounts = Accounts(Store(), "p" * 32)  # type: ignore[arg-type]  # accepts every call
    _, token = accounts.create_owner("somebody")
    for text in (token, accounts.invite()):
        assert text.partition("_")[2] not in Redaction().text(f"here is {text}.")


def test_other_values_are_not_hidden() -> None:
    text = "kozyr_requests 17, redis://redis.example:6379/0, match 17hq3x9m4c7t2k5w8n6v3p9d4f7a, basic rules"
    assert Redaction().text(text).startswith(text.removesuffix("basic rules"))


def test_values_are_hidden_by_their_names_and_at_any_depth() -> None:
    line = {
        "event": "x",
        "token": "opaque",
        "headers": {"Authorization": "opaque", "Accept": "*/*"},
        "tried": [{"admin_token": "opaque"}, f"Bearer {TOKEN}"],
        "count": 3,
        "what": None,
    }
    assert Redaction()(None, "info", line) == {
        "event": "x",
        "token": HIDDEN,
        "headers": {"Authorization": HIDDEN, "Accept": "*/*"},
        "tried": [{"admin_token": HIDDEN}, f"Bearer {HIDDEN}"],
        "count": 3,
        "what": None,
    }


def test_no_line_of_a_process_has_a_secret_in_it() -> None:
    """This holds for the project's lines and those of libraries, with tracebacks and with arguments."""
    pepper = "a pepper of thirty-two characters or more"
    script = f"""
import logging, structlog
from server.logs.structured import configure
configure("debug", {pepper!r})
log = structlog.get_logger("kozyr")
log.info("asked with {TOKEN}", token="opaque-one", headers={{"Authorization": "opaque-two"}})
logging.getLogger("redis").warning("could not reach %s", "redis://me:hunter2@redis.example:6379/0")
for say in (log.error, logging.getLogger("gunicorn.error").error):
    try:
        raise ValueError("refused Bearer {TOKEN} with " + {pepper!r})
    except ValueError:
        say("it failed", exc_info=True)
"""
    output = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stderr
    lines = [json.loads(line) for line in output.splitlines()]
    assert len(lines) == 4
    assert all({"event", "level", "timestamp"} <= line.keys() for line in lines)
    assert "ValueError" in lines[2]["exception"]
    assert "ValueError" in lines[3]["exception"]
    for secret in (TOKEN, "opaque", "hunter2", pepper):
        assert secret not in output
    assert logging.getLogger("kozyr").handlers == [], "nothing of it happened in this process"
