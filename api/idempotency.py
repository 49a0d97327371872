"""`Idempotency-Key`: a request that creates something has one answer, however often it is sent."""

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
from referee.after_commit import Hook
from referee.errors import RefereeError
from referee.ids import derived_match_id

_FORM: Final = re.compile(r"[\x21-\x7e]{1,128}")
NOBODYS_KEY: Final = 16
"""The least length of a key that comes without a token: whoever guesses it gets the answer."""


def once(who: str | None, create: Callable[[str | None], Response], *, has_body: bool = True) -> Response:
    """The answer of `create`, or the one that it gave when this request was first sent with this key.

    `who` sends it, `None` for somebody without a token. `create` is given an id of its own for what it creates,
    `None` where the request has no key. A refusal is not kept: nothing was created. Without `has_body` it is the same
    request whatever is sent as its body.
    """
    key = request.headers.get("Idempotency-Key")
    if key is None:
        return create(None)
    if _FORM.fullmatch(key) is None or (who is None and len(key) < NOBODYS_KEY):
        least = NOBODYS_KEY if who is None else 1
        raise Problem(
            "invalid_header",
            f"an Idempotency-Key has {least} to 128 printable characters without spaces",
            errors={"Idempotency-Key": [f"Must have {least} to 128 printable characters."]},
        )
    scope = f"{who or ''} {request.method} {request.path}"
    digest = _digest() if has_body else ""
    kept = services().idempotency.begin(scope, key, digest)
    if kept is not None:
        headers = {**kept["headers"], "Idempotency-Replayed": "true"}
        return Response(orjson.dumps(kept["body"]), kept["status"], headers, mimetype=JSON)
    g.idempotency = (scope, key)
    try:
        made = create(derived_match_id(scope, key, digest))
    except (Problem, RefereeError, LeagueError, BadTable):
        services().idempotency.forget(scope, key)
        raise
    except BaseException:
        services().idempotency.abandon(scope, key)
        raise
    location = {"Location": made.headers["Location"]} if "Location" in made.headers else {}
    said = {"status": made.status_code, "headers": location, "body": orjson.loads(made.get_data())}
    after = services().after
    after.run(Hook.REPLAY, lambda: services().idempotency.finish(scope, key, said), None)
    return made


def intended(number: int) -> int:
    """The number of what this request creates where the number is its id: this one, or the one that the same request
    intended when it was sent before and its process died. Called inside `once`."""
    claim: tuple[str, str] | None = g.get("idempotency")
    return number if claim is None else int(services().idempotency.intend(*claim, str(number)))


def _digest() -> str:
    """The request's body, whatever its spaces and the order of its names."""
    raw = request.get_data()
    value = parse(raw) if raw else None
    return hashlib.sha256(orjson.dumps(value, option=orjson.OPT_SORT_KEYS)).hexdigest()
