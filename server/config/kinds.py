"""The kinds of settings. Each returns a parser, which raises `ValueError`, and a description of allowed values."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar
from urllib.parse import urlsplit

from redisio.hosts import DEFAULT_PORT, hosts, sentinel_address

Networks = tuple[ipaddress.IPv4Network | ipaddress.IPv6Network, ...]
Value = TypeVar("Value")
SettingKind = tuple[Callable[[str], Value], str]

CLUSTER_ADDRESS: Final = "redis://user:password@host:port,host:port"
"""How to name nodes of a Redis Cluster."""
_FLAGS: Final = {
    **dict.fromkeys(("1", "true", "yes", "on"), True),
    **dict.fromkeys(("0", "false", "no", "off"), False),
}


def _kind(read: Callable[[str], Value], is_right: Callable[[Value], bool], right: str) -> SettingKind[Value]:
    def parse(text: str) -> Value:
        value = read(text)
        if not is_right(value):
            raise ValueError
        return value

    return parse, right


def whole(least: int, most: int) -> SettingKind[int]:
    """Accept a whole number in a closed range."""
    return _kind(int, lambda value: least <= value <= most, f"a whole number from {least} to {most}")


def seconds(least: float, most: float) -> SettingKind[float]:
    """Accept a number of seconds in a closed range. NaN and infinity are refused."""
    return number(least, most)[0], f"a number of seconds from {least:g} to {most:g}"


def number(least: float, most: float) -> SettingKind[float]:
    """Accept a number in a closed range. NaN and infinity are refused."""
    return _kind(float, lambda value: least <= value <= most, f"a number from {least:g} to {most:g}")


def archive_address() -> SettingKind[str]:
    def is_right(value: str) -> bool:
        url = urlsplit(value)
        return value.startswith("/") or (url.scheme == "s3" and bool(url.hostname))

    return _kind(
        str, is_right, "s3://bucket/prefix, or the absolute path of a folder that all processes share"
    )


def one_of(*words: str) -> SettingKind[str]:
    return _kind(str, lambda value: value in words, "one of " + ", ".join(words))


def text(least: int = 1) -> SettingKind[str]:
    right = f"printable text of at least {least} character{'s' if least > 1 else ''}"
    return _kind(str, lambda value: len(value) >= least and value.isprintable(), right)


def flag() -> SettingKind[bool]:
    def parse(value: str) -> bool:
        if value.lower() not in _FLAGS:
            raise ValueError
        return _FLAGS[value.lower()]

    return parse, "yes or no (also true, false, on, off, 1, 0)"


def folder() -> SettingKind[Path]:
    return _kind(Path, lambda path: path.is_dir() or not path.exists(), "a folder, which may not exist yet")


def networks() -> SettingKind[Networks]:
    def parse(value: str) -> Networks:
        return tuple(map(ipaddress.ip_network, _parts(value)))

    return parse, "IP addresses or networks (`10.0.0.0/8`), separated by commas"


def path_prefix() -> SettingKind[str]:
    prefix = re.compile(r"(/[A-Za-z0-9_.~-]+)+")
    right = "a path with / at its beginning and not at its end"
    return _kind(str, lambda value: prefix.fullmatch(value) is not None, right)


def origins() -> SettingKind[tuple[str, ...]]:
    def is_origin(part: str) -> bool:
        url = urlsplit(part)
        plain = f"{url.scheme}://{url.hostname or ''}"
        return url.scheme in {"http", "https"} and part in (plain, f"{plain}:{url.port}")

    right = "origins (`https://class.example`), separated by commas, or `*`"
    return _kind(_parts, lambda parts: parts == ("*",) or all(map(is_origin, parts)), right)


def host_names() -> SettingKind[tuple[str, ...]]:
    name = re.compile(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*")
    right = "names (`kozyr.example`), separated by commas, or `*`"
    return _kind(_parts, lambda parts: parts == ("*",) or all(map(name.fullmatch, parts)), right)


def file() -> SettingKind[Path]:
    return _kind(lambda value: Path(value).absolute(), Path.is_file, "an existing file")


def redis_address(*, nodes: bool = False) -> SettingKind[str]:
    """Accept the address of a server, that of Sentinels, and with `nodes` one that names nodes of a Redis Cluster."""

    def is_right(value: str) -> bool:
        if sentinel_address(value) is not None:
            return True
        url = urlsplit(value)
        if url.scheme == "unix":
            return bool(url.path)
        return url.scheme in {"redis", "rediss"} and (len(hosts(url, DEFAULT_PORT)) == 1 or nodes)

    cluster = f", {CLUSTER_ADDRESS} (nodes of a Redis Cluster)" if nodes else ""
    return _kind(
        str,
        is_right,
        f"redis://user:password@host:port/db, rediss://… (TLS), unix:///path/to/socket{cluster} or "
        "redis+sentinel://user:password@host:port,host:port/master",
    )


def _parts(value: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in value.split(","))
