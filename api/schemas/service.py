"""The service itself, and problems."""

from __future__ import annotations

from typing import Any, Final

from api.problems import KINDS
from api.schemas.common import Json, flag, nullable, obj, ref, text, whole

_PROBLEM: Final[dict[str, Any]] = {
    "type": text("Where the problem is explained", format="uri-reference"),
    "title": text("The problem in few words, the same for each `code`"),
    "status": {"type": "integer", "minimum": 400, "maximum": 599},
    "detail": text("What was wrong this time"),
    "code": ref("ProblemCode"),
    "retryable": flag("Whether the same request may succeed when it is sent again unchanged"),
    "request_id": text("Name it when you ask us"),
    "errors": {
        "type": "object",
        "additionalProperties": {"type": "array", "items": {"type": "string"}},
        "description": "What is wrong with each field or parameter",
    },
    "field": text("The field that is wrong"),
    "expected": text("What would be right, in words"),
    "scope": text("The scope that is needed"),
    "legal_moves": {"type": "array", "items": {"type": "string"}, "description": "What you may move now"},
    "turn": {"type": "integer", "description": "The question now asked in the match"},
    "view": {
        "oneOf": [{"$ref": "#/components/schemas/Match"}],
        "description": "The match as you see it now",
    },
    "open_seats": {"type": "array", "items": {"type": "integer"}, "description": "The seats still open"},
    "ending": nullable(text("How the match ended")),
    "retry_ms": {"type": "integer", "description": "Come again after so many milliseconds"},
    "round": {"type": "integer", "description": "The round that is running"},
    "state": text("The ladder's state"),
}
_ALWAYS: Final = ("type", "title", "status", "detail", "code", "retryable", "request_id")

COMPONENTS: Final[dict[str, Json]] = {
    "ProblemCode": text("What is wrong, from a closed list", enum=list(KINDS)),
    "Problem": {
        "type": "object",
        "description": "An RFC 9457 problem document. What is below `request_id` is there where it helps to go on.",
        "properties": _PROBLEM,
        "required": list(_ALWAYS),
        "additionalProperties": True,
    },
    "Health": obj({"status": {"type": "string", "const": "ok"}}),
    "Readiness": obj(
        {
            "ready": flag("Whether all of it works"),
            "parts": {"type": "object", "additionalProperties": {"type": "boolean"}},
        }
    ),
    "Limits": obj(
        {
            "max_wait_s": {"type": "number", "description": "The longest wait of a request, in seconds"},
            "max_body_bytes": whole("The largest body of a request", 1),
            "body_timeout_s": {
                "type": "number",
                "description": "A body has to come whole within so many seconds",
            },
            "max_moves": whole("Moves in one `POST /v1/turns`", 1),
            "max_page": whole("Entries of one page of a list", 1),
            "max_events": whole("Events of one answer", 1),
            "max_polls": whole("Waiting polls of one bot; the oldest is answered when one more comes", 1),
            "open_registration": flag("Whether anybody may become an owner; else by invitation"),
            "start_ms": whole("A match is aborted if its seats don't show up in that time", 1),
            "open_ms": whole("A match is aborted if its open seats aren't taken in that time", 1),
            "settle_ms": whole("How long after deadline and grace the time of a question is up for good"),
            "version": text("Of the service"),
        }
    ),
    "Root": obj(
        {"service": text("This service"), "docs": text("The documentation"), "openapi": text("The document")}
    ),
}
