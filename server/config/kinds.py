"""The kinds of settings. Each returns a parser, which raises `ValueError`, and a description of allowed values."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from redisio.hosts import DEFAULT_PORT, hosts, sentinel_address

Networks = tuple[ipaddress.IPv4Network | ipaddress.IPv6Network, ...]

CLUSTER_ADDRESS: Final = "redis://user:password@host:port,host:port"
"""How to name nodes of a Redis Cluster."""


def whole(least: int, most: int) -> tuple[Callable[[str], int], str]:
    """Accept a whole number in a closed range."""

    def parse(text: str) -> int:
        number = int(text)
        if not least <= number <= most:
            raise ValueError
        return number

    return parse, f"a whole number from {least} to {most}"


def seconds(least: float, most: float) -> tuple[Callable[[str], float], str]:
    """Accept a number of seconds in a closed range. NaN and infinity are refused."""

    def parse(text: str) -> float:
        number = float(text)
        if not least <= number <= most:
            raise ValueError
        return number

    return parse, f"a number of seconds from {least:g} to {most:g}"


def number(least: float, most: float) -> tuple[Callable[[str], float], str]:
    """Accept a number in a closed range. NaN and infinity are refused."""
    return seconds(least, most)[0], f"a number from {least:g} to {most:g}"


def archive_address() -> tuple[Callable[[str], str], str]:
    def parse(value: str) -> str:
        url = urlsplit(value)
        if not (value.startswith("/") or (url.scheme == "s3" and url.hostname)):
            raise ValueError
        return value

    return parse, "s3://bucket/prefix, or the absolute path of a folder that all processes share"


def one_of(*words: str) -> tuple[Callable[[str], str], str]:
    def parse(text: str) -> str:
        if text not in words:
            raise ValueError
        return text

    return parse, "one of " + ", ".join(words)


def text(least: int = 1) -> tuple[Callable[[str], str], str]:
    def parse(value: str) -> str:
        if len(value) < least or not value.isprintable():
            raise ValueError
        return value

    return parse, f"printable text of at least {least} character{'s' if least > 1 else ''}"


def flag() -> tuple[Callable[[str], bool], str]:
    words = {
        "1": True,
        "true": True,
        "yes": True,
        "on": True,
        "0": False,
        "false": False,
        "no": False,
        "off": False,
    }

    def parse(value: str) -> bool:
        if value.lower() not in words:
            raise ValueError
        return words[value.lower()]

    return parse, "yes or no (also true, false, on, off, 1, 0)"


def folder() -> tuple[Callable[[str], Path], str]:
    def parse(value: str) -> Path:
        path = Path(value)
        if path.exists() and not path.is_dir():
            raise ValueError
        return path

    return parse, "a folder, which may not exist yet"


def networks() -> tuple[Callable[[str], Networks], str]:
    def parse(value: str) -> Networks:
        return tuple(ipaddress.ip_network(part.strip()) for part in value.split(","))

    return parse, "IP addresses or networks (`10.0.0.0/8`), separated by commas"


def path_prefix() -> tuple[Callable[[str], str], str]:
    def parse(value: str) -> str:
        if not re.fullmatch(r"(/[A-Za-z0-9_.~-]+)+", value):
            raise ValueError
        return value

    return parse, "a path with / at its beginning and not at its end"


def origins() -> tuple[Callable[[str], tuple[str, ...]], str]:
    def parse(value: str) -> tuple[str, ...]:
        found = tuple(part.strip() for part in value.split(","))
        if found != ("*",):
            for origin in found:
                url = urlsplit(origin)
                host = url.hostname or ""
                if url.scheme not in {"http", "https"} or origin not in (
                    f"{url.scheme}://{host}",
                    f"{url.scheme}://{host}:{url.port}",
                ):
                    raise ValueError
        return found

    return parse, "origins (`https://class.example`), separated by commas, or `*`"


def host_names() -> tuple[Callable[[str], tuple[str, ...]], str]:
    def parse(value: str) -> tuple[str, ...]:
        found = tuple(part.strip() for part in value.split(","))
        if found != ("*",) and not all(
            re.fullmatch(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*", name) for name in found
        ):
            raise ValueError
        return found

    return parse, "names (`kozyr.example`), separated by commas, or `*`"


def file() -> tuple[Callable[[str], Path], str]:
    def parse(value: str) -> Path:
        path = Path(value).absolute()
        if not path.is_file():
            raise ValueError
        return path

    return parse, "an existing file"


def redis_address(*, nodes: bool = False) -> tuple[Callable[[str], str], str]:
    """Accept the address of a server, that of Sentinels, and with `nodes` one that names nodes of a Redis Cluster."""

    def parse(value: str) -> str:
        if sentinel_address(value) is not None:
            return value
        url = urlsplit(value)
        if url.scheme not in {"redis", "rediss", "unix"} or (url.scheme == "unix" and not url.path):
            raise ValueError
        if url.scheme != "unix" and len(hosts(url, DEFAULT_PORT)) > 1 and not nodes:
            raise ValueError
        return value

    cluster = f", {CLUSTER_ADDRESS} (nodes of a Redis Cluster)" if nodes else ""
    return parse, (
        f"redis://user:password@host:port/db, rediss://… (TLS), unix:///path/to/socket{cluster} or "
        "redis+sentinel://user:password@host:port,host:port/master"
    )
