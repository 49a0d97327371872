"""Content negotiation by the `Accept` header (RFC 9110, 12.5.1)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from flask import request

from api.problems import Problem

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

_ANY: Final = (None, "", "*/*")


def check(offered: Sequence[str], environ: WSGIEnvironment) -> None:
    """Raise `Problem` if the client accepts none of these content types."""
    accepted = environ.get("HTTP_ACCEPT")
    if accepted not in _ANY and offered and _best(accepted, tuple(offered)) is None:
        raise Problem(
            "not_acceptable",
            f"this path responds as {', '.join(offered)}; send one of them in `Accept`, or no `Accept`",
            supported=list(offered),
        )


def chosen(*offered: str) -> str:
    """Return the content type that the client prefers, by default the first."""
    accepted = request.environ.get("HTTP_ACCEPT")
    return offered[0] if accepted in _ANY else _best(accepted, offered) or offered[0]


@lru_cache(maxsize=512)
def _best(accepted: str, offered: tuple[str, ...]) -> str | None:
    """Return the offered type with the highest quality, or `None` if none is accepted.

    The most specific range sets the quality of a type. Parameters such as `charset` are ignored.
    """
    ranges: dict[str, float] = {}
    for part in accepted.split(","):
        kind, *parameters = (word.strip().lower() for word in part.split(";"))
        if "/" in kind:
            ranges[kind] = _quality(parameters)
    if not ranges:
        return offered[0]
    found = {
        kind: next(
            (ranges[each] for each in (kind, f"{kind.partition('/')[0]}/*", "*/*") if each in ranges), 0.0
        )
        for kind in offered
    }
    best = max(offered, key=lambda kind: found[kind])
    return best if found[best] > 0 else None


def _quality(parameters: Sequence[str]) -> float:
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip() == "q":
            try:
                return min(1.0, max(0.0, float(value)))
            except ValueError:
                return 0.0
    return 1.0
