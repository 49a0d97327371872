"""`Idempotency-Key`: a repeated request that creates something gets the first response."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from typing import Final

import orjson
from flask import Response, g, request

from api.problems import Problem
from api.services import services
from api.wire import JSON, parse
from engine.game import BadTable
from league.errors import LeagueError
from records.errors import RefereeError
from records.ids import derived_match_id
from referee.after_commit import AfterCommitStep

_FORM: Final = re.compile(r"[\x21-\x7e]{1,128}")
NOBODYS_KEY: Final = 16
"""The least length of a key without a token, because anybody who guesses it gets the response."""


def once(caller: str | None, create: Callable[[str | None], Response], *, has_body: bool = True) -> Response:
    """Return the response of `create`, or the stored response if this request was sent before with the same key.

    `caller` is the id of the caller, `None` without a token. `create` takes a derived id for what it creates, `None`
    without a key. Refusals are not stored, because nothing was created. Without `has_body` the key ignores the body.
    """
    key = request.headers.get("Idempotency-Key")
    if key is None:
        return create(None)
    if _FORM.fullmatch(key) is None or (caller is None and len(key) < NOBODYS_KEY):
        least = NOBODYS_KEY if caller is None else 1
        raise Problem(
            "invalid_header",
            f"an Idempotency-Key must have {least} to 128 printable characters without spaces",
            errors={"Idempotency-Key": [f"Must have {least} to 128 printable characters."]},
        )
    scope = f"{caller or ''} {request.method} {request.path}"
    digest = _digest() if has_body else ""
    kept = services().idempotency.begin(scope, key, digest)
    if kept is not None:
        headers = {**kept["headers"], "Idempotency-Replayed": "true"}
        return Response(orjson.dumps(kept["body"]), kept["status"], headers, mimetype=JSON)
    g.idempotency = (scope, key)
    try:
        made = create(derived_match_id(scope, key, digest))
        services().idempotency.confirm(scope, key)
    except (Problem, RefereeError, LeagueError, BadTable):
        services().idempotency.forget(scope, key)
        raise
    except BaseException:
        services().idempotency.abandon(scope, key)
        raise
    location = {"Location": made.headers["Location"]} if "Location" in made.headers else {}
    stored = {"status": made.status_code, "headers": location, "body": orjson.loads(made.get_data())}
    after_commit = services().after_commit
    after_commit.run(AfterCommitStep.REPLAY, lambda: services().idempotency.finish(scope, key, stored), None)
    return made


def derived_id(prefix: str, seed: str | None) -> str | None:
    """Return the id of what a request with this seed creates, or `None` without a seed."""
    return None if seed is None else prefix + seed[2:18]  # the bucket of a match id says nothing here


def intended(number: int) -> int:
    """Return the number that this request creates: `number`, or the one that an earlier attempt of the same request
    reserved before its process died. Call it inside `once`.
    """
    claim: tuple[str, str] | None = g.get("idempotency")
    return number if claim is None else int(services().idempotency.intend(*claim, str(number)))


def recorded_before() -> int | None:
    """Return how many records there were when this request was first sent (`NewMatch.since`). Call it inside `once`."""
    recorded = services().referee.recorded()
    return None if recorded is None else intended(recorded)


def _digest() -> str:
    """Return a digest of the body that ignores whitespace and the order of names."""
    raw = request.get_data()
    value = parse(raw) if raw else None
    return hashlib.sha256(orjson.dumps(value, option=orjson.OPT_SORT_KEYS)).hexdigest()
