"""The address of a client, behind trusted proxies.

Clients can forge `X-Forwarded-For`, so only the entries that trusted proxies added count.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

Network = ipaddress.IPv4Network | ipaddress.IPv6Network

_SITE: Final = 64
"""A customer has a whole IPv6 network of this prefix length."""


class Addresses:
    """Finds the address of a client behind these trusted proxies."""

    def __init__(self, trusted: Sequence[Network] = ()) -> None:
        self._trusted = tuple(trusted)
        self._is_trusted = lru_cache(maxsize=1024)(self._within)

    def of(self, environ: Mapping[str, Any]) -> str:
        """Return the nearest address that is not a trusted proxy: the connection's own, or the last such entry of
        `X-Forwarded-For`. An IPv6 address is replaced by its /64 network.
        """
        at = _read(environ.get("REMOTE_ADDR", ""))
        for text in reversed(environ.get("HTTP_X_FORWARDED_FOR", "").split(",")):
            if at is None or not self._is_trusted(at):
                break
            before = _read(text.strip())
            if before is None:
                break
            at = before
        if at is None:
            return "unknown"
        if at.version == 6:
            return str(ipaddress.ip_network((at, _SITE), strict=False))
        return str(at)

    def _within(self, address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
        return any(address in network for network in self._trusted)


def _read(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address
