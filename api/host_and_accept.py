"""The headers `Host`, `Accept` and `Accept-Language` (RFC 9110, 12.5) of a request.

A request for another `Host` is refused, since pages link to the host of their request.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from flask import request

from api.problems import Problem

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment
    from werkzeug.datastructures import LanguageAccept

_ANY_HOST: Final = "*"
_HOST: Final = re.compile(r"(?:\[([0-9a-f:.]+)\]|([a-z0-9_.-]+))(?::[0-9]{1,5})?")
_ANY_TYPE: Final = (None, "", "*/*")


class Hosts:
    """The hosts that requests may name: the given names, IP addresses, and local names, which have no dot."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._names = frozenset(name.lower() for name in names)
        self.accepts = lru_cache(maxsize=256)(self._accepts)

    def check(self, environ: Mapping[str, Any]) -> None:
        """Raise `Problem` for a request to another host."""
        if not self.accepts(environ.get("HTTP_HOST", "")):
            raise Problem(
                "wrong_host", "this service has another name; its operator lists its names in KOZYR_HOSTS"
            )

    def _accepts(self, host: str) -> bool:
        if not host or _ANY_HOST in self._names:
            return True
        found = _HOST.fullmatch(host.lower())
        if found is None:
            return False
        name = (found[1] or found[2]).removesuffix(".")
        return (
            name in self._names or not {".", ":"} & set(name) or name.endswith(".localhost") or _is_ip(name)
        )


def _is_ip(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def check_accept(offered: Sequence[str], environ: WSGIEnvironment) -> None:
    """Raise `Problem` if the client accepts none of these content types."""
    accepted = environ.get("HTTP_ACCEPT")
    if accepted not in _ANY_TYPE and offered and preferred(accepted, tuple(offered)) is None:
        raise Problem(
            "not_acceptable",
            f"this path responds as {', '.join(offered)}; send one of them in `Accept`, or no `Accept`",
            supported=list(offered),
        )


def chosen(*offered: str) -> str:
    """Return the content type that the client prefers, by default the first."""
    accepted = request.environ.get("HTTP_ACCEPT")
    return offered[0] if accepted in _ANY_TYPE else preferred(accepted, offered) or offered[0]


@lru_cache(maxsize=512)
def preferred(accepted: str, offered: tuple[str, ...]) -> str | None:
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


def preferred_language(accepted: LanguageAccept, offered: Sequence[str]) -> str:
    """Return the offered language that the client prefers, by default the first. `en-GB` accepts `en`."""
    # `LanguageAccept.best_match` prefers an exact tag to a higher quality: `ru` for `en-GB, ru;q=0.5`.
    found = [(tag.lower().replace("_", "-").partition("-")[0], quality) for tag, quality in accepted]
    refused = {tag for tag, quality in found if quality <= 0}
    for tag, _ in sorted(found, key=lambda each: -each[1]):
        for language in offered:
            if tag in (language, "*") and language not in refused:
                return language
    return offered[0]


def _quality(parameters: Sequence[str]) -> float:
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip() == "q":
            try:
                return min(1.0, max(0.0, float(value)))
            except ValueError:
                return 0.0
    return 1.0
