"""Which addresses webhooks may have. Pure: nothing here asks the DNS.

The text of an address is checked when it is set. The addresses that its host name resolves to are checked before each
connection (`workers.webhooks`), and the connection goes to the checked one.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from typing import Final
from urllib.parse import urlsplit

from league.errors import BadValue

MOST_CHARACTERS: Final = 500
_HOST: Final = re.compile(r"(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]")
_LOCAL: Final = (".localhost", ".local", ".internal", ".home.arpa", ".onion")
_EMBEDS_IPV4: Final = tuple(
    ipaddress.IPv6Network(network) for network in ("64:ff9b::/96", "64:ff9b:1::/48", "2002::/16", "2001::/32")
)
"""NAT64, 6to4 and Teredo: a gateway may send such packets to the IPv4 address that they contain."""
_EXPECTED: Final = (
    "https://host/path with a public host name and no user name, port 443 or one from 1024, at most "
    f"{MOST_CHARACTERS} characters"
)


def is_public(address: str) -> bool:
    """Return whether an IP address is reachable for everybody. Text that is no IP address is not."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return False
    if isinstance(found, ipaddress.IPv6Address):
        if found.ipv4_mapped is not None or found.scope_id is not None or found.is_site_local:
            return False
        if any(found in network for network in _EMBEDS_IPV4):
            return False
    return found.is_global and not (found.is_multicast or found.is_reserved or found.is_unspecified)


def checked_url(url: str) -> str:
    """Return the URL of a webhook. Raise `BadValue` for another form, and for IP addresses in any spelling."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise BadValue("url", url[:100], _EXPECTED) from None
    fits = (
        len(url) <= MOST_CHARACTERS
        and re.fullmatch(r"[\x21-\x7e]+", url) is not None
        and "\\" not in url
        and parts.scheme == "https"
        and parts.username is None
        and parts.password is None
        and not parts.fragment
        and port not in range(443)
        and port not in range(444, 1024)
        and _HOST.fullmatch(host) is not None
        and not host.endswith(_LOCAL)
        and not _is_number(host)
    )
    if not fits:
        raise BadValue("url", url[:100], _EXPECTED)
    return url


def _is_number(host: str) -> bool:
    """Return whether resolvers read a host as an IPv4 address: `127.1`, `0x7f000001`, `2130706433`."""
    try:
        socket.inet_aton(host)
    except OSError:
        return False
    return True
