"""The present names of renamed bots and owners. Whoever shows a stored name asks here first.

A name is stored with each match, entry and result. A renamed bot keeps its id, so this process's copy of the list
replaces stored names when they are read (ADR 46). `league.accounts` keeps the copy up to date.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

_CURRENT: dict[str, str] = {}
_OWNERS: dict[str, str] = {}
_FIRST: dict[str, str] = {}


def current_name(ident: str, stored: str) -> str:
    """Return the present name of the bot or owner with this id, which was stored with this name."""
    return _CURRENT.get(ident, stored)


def present_owner(name: str) -> str:
    """Return the present name of the owner that has or had this name."""
    return _OWNERS.get(name, name)


def first_owner(name: str) -> str:
    """Return the name under which the owner with this present name registered. Its webhooks and its event log are kept
    under it."""
    return _FIRST.get(name, name)


def learn(names: Mapping[str, Sequence[str]]) -> None:
    """Take note of renamed bots and owners: by id their names, the oldest first."""
    for ident, each in names.items():
        _CURRENT[ident] = each[-1]
        if "/" not in each[-1]:
            _OWNERS.update(dict.fromkeys(each, each[-1]))
            _FIRST[each[-1]] = each[0]
