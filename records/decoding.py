"""Decode stored values. Fields that a later minor version of the data format has added are ignored.

A missing field gets its class's default. `referee.storage.redis_data_version` defines which versions a release reads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeVar, cast


class _Named(Protocol):
    _fields: tuple[str, ...]


T = TypeVar("T")


def decoded(cls: type[T], data: Mapping[str, Any]) -> T:
    """Build the named tuple `cls` from a stored object. Raises `TypeError` if a field without a default is missing."""
    known = cast("_Named", cls)._fields
    return cls(**{name: data[name] for name in known if name in data})


def decoded_row(cls: type[T], row: Sequence[Any]) -> T:
    """Build the named tuple `cls` from a stored array of its fields in order. Raises `TypeError` like `decoded`."""
    return cls(*row[: len(cast("_Named", cls)._fields)])
