"""The names of the service: a request for another `Host` is refused, since pages link to the host of their request."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Final

from api.problems import Problem

ANY: Final = "*"
_HOST: Final = re.compile(r"(?:\[([0-9a-f:.]+)\]|([a-z0-9_.-]+))(?::[0-9]{1,5})?")


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
        if not host or ANY in self._names:
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
