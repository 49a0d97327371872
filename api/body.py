"""What can go wrong with a request's body before there is anything to parse.

The server reads a body as a whole before the application is asked (see `kozyr.serve.server`). If that fails, reading
`wsgi.input` raises one of these, and the connection is closed after the answer. They are HTTP exceptions, so Flask
answers them with a problem document even where nobody handles them.
"""

from __future__ import annotations

import json
from typing import Any

from werkzeug.exceptions import BadRequest, HTTPException, RequestEntityTooLarge, RequestTimeout


class BodyError(HTTPException):
    """A body that did not come as it was announced."""

    def get_body(self, *args: Any, **kwargs: Any) -> str:
        return json.dumps(
            {"type": "about:blank", "title": self.name, "status": self.code, "detail": self.description}
        )

    def get_headers(self, *args: Any, **kwargs: Any) -> list[tuple[str, str]]:
        return [("Content-Type", "application/problem+json")]


class BodyTimeout(BodyError, RequestTimeout):
    """The body did not come whole within the time it has in all."""

    description = "The body of the request did not come in time."


class BodyTooLarge(BodyError, RequestEntityTooLarge):
    """The body is larger than the limit; it was not read to its end."""

    description = "The body of the request is larger than this service takes."


class BodyCutShort(BodyError, BadRequest):
    """The connection ended, or the chunks were malformed, before the body was whole."""

    description = "The body of the request ended before its announced end, or was not framed correctly."
