"""Validators and lifetimes of responses that caches may keep."""

from __future__ import annotations

from typing import Final

from flask import Response, request

from api.contract.describe import ResponseSpec, header
from api.http.compression import KeptBody, KeptResponse
from api.schemas.common import Json

REVALIDATED: Final = "public, no-cache"
"""Caches may keep it and ask each time whether it is current. Even records change, when a match is voided."""
ETAG: Final[dict[str, Json]] = {"ETag": header("For `If-None-Match`", required=True)}
UNCHANGED: Final = ResponseSpec("Unchanged since the `ETag` in `If-None-Match`", status=304)


def revalidated(response: Response) -> Response:
    """Return a response that everybody may read with an `ETag`, or 304 if the client has it."""
    response.headers["Cache-Control"] = REVALIDATED
    response.add_etag()
    response.make_conditional(request)
    return response


def constant(kept: KeptBody, *, max_age_s: int = 0) -> Response:
    """Return a response that is the same for as long as the process lives, or 304 if the client has it. Caches need
    not ask for `max_age_s` seconds."""
    response = KeptResponse(kept)
    response.set_etag(kept.etag)
    revalidated(response)
    if max_age_s:
        response.headers["Cache-Control"] = f"public, max-age={max_age_s}"
    return response
