"""Errors in reading the body of a request.

The server reads a whole body before it calls the application (`server.gunicorn_worker`). If that fails, reading
`wsgi.input` raises one of these errors, and the connection is closed after the response. They are HTTP exceptions, so
Flask turns them into problem documents.
"""

from __future__ import annotations

import json
from typing import Any

from werkzeug.exceptions import BadRequest, HTTPException, RequestEntityTooLarge, RequestTimeout


class BodyError(HTTPException):
    """The body could not be read."""

    def get_body(self, *args: Any, **kwargs: Any) -> str:
        return json.dumps(
            {"type": "about:blank", "title": self.name, "status": self.code, "detail": self.description}
        )

    def get_headers(self, *args: Any, **kwargs: Any) -> list[tuple[str, str]]:
        return [("Content-Type", "application/problem+json")]


class BodyTimeout(BodyError, RequestTimeout):
    """The body did not arrive in time."""

    description = "The body of the request did not come in time."


class BodyTooLarge(BodyError, RequestEntityTooLarge):
    """The body exceeds the limit. It was not read to its end."""

    description = "The body of the request is larger than this service takes."


class BodyCutShort(BodyError, BadRequest):
    """The connection ended before the whole body arrived, or a chunk was malformed."""

    description = "The body of the request ended before its announced end, or was not framed correctly."
