"""The present names of renamed bots and owners. Code that shows a stored name asks here first.

A name is stored with each match, entry and result. A renamed bot keeps its id, so this process's copy of the list
replaces stored names when they are read (ADR 46). `league.accounts` keeps the copy up to date.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

_CURRENT: dict[str, str] = {}
_OWNERS: dict[str, str] = {}
_FIRST: dict[str, str] = {}


def current_name(ident: str, stored: str) -> str:
    """Return the present name of the bot or owner with this id, which was stored with this name."""
    return _CURRENT.get(ident, stored)


def renew_seats(data: dict[str, Any], seats: str) -> None:
    """Write the present names into the `seats` of a stored match or group. If one was renamed, clear `requested_by`,
    which may name a forgotten owner."""
    renamed = [seat for seat in data[seats] if seat is not None and seat["id"] in _CURRENT]
    for seat in renamed:
        seat["bot"] = _CURRENT[seat["id"]]
    if renamed:
        data["requested_by"] = ""


def renewed_result(raw: bytes) -> bytes:
    """Return the stored result of a group (`GroupResult.to_json`) with the present names of its bots."""
    result = orjson.loads(raw)
    for bots, *_ in result[3]:
        for bot in bots:
            bot[1] = current_name(bot[0], bot[1])
    return orjson.dumps(result)


def present_owner(name: str) -> str:
    """Return the present name of the owner that has or had this name."""
    return _OWNERS.get(name, name)


def first_owner(name: str) -> str:
    """Return the name under which the owner with this present name registered. Its webhooks and its event log are kept
    under it."""
    return _FIRST.get(name, name)


def learn(names: Mapping[str, Sequence[str]]) -> None:
    """Take note of all renamed bots and owners: by id their names, the oldest first."""
    global _CURRENT, _OWNERS, _FIRST
    owners = {ident: each for ident, each in names.items() if "/" not in each[-1]}
    people = {f"person-{ident}": f"{each[-1]}/person" for ident, each in owners.items()}
    _CURRENT = {ident: each[-1] for ident, each in names.items()} | people
    # The names of a forgotten owner lead nowhere any more.
    _OWNERS = {name: each[-1] for each in owners.values() for name in each}
    _FIRST = {each[-1]: each[0] for each in owners.values()}
