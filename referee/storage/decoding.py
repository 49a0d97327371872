"""Decode stored values: fields that a later minor version of the data format has added are ignored.

A missing field has the default of its class. `referee.storage.redis_data_version` says which versions a release reads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeVar, cast


class _Named(Protocol):
    _fields: tuple[str, ...]


T = TypeVar("T")


def decoded(cls: type[T], data: Mapping[str, Any], renamed: Mapping[str, str] | None = None) -> T:
    """Build the named tuple `cls` from a stored object. `renamed` maps earlier names of fields to those of today.

    Raises `TypeError` where a field without a default is missing.
    """
    known = cast("_Named", cls)._fields
    found = {new: data[old] for old, new in (renamed or {}).items() if old in data} | dict(data)
    return cls(**{name: found[name] for name in known if name in found})


def decoded_row(cls: type[T], row: Sequence[Any]) -> T:
    """The named tuple `cls` from a stored array, its fields in order. Raises `TypeError` as `decoded` does."""
    return cls(*row[: len(cast("_Named", cls)._fields)])
