"""The audit log: the actions of admins and organisers with their targets, times and reasons. Entries are added and
never changed. What concerns a ladder is also in the ladder's own log, which its organiser reads.

An entry is written before its action and names the intent; its outcome is written once, after it. So no crash leaves
an action without an entry. An entry without an outcome was interrupted: its action may or may not have happened, and
can be repeated safely.

kozyr:{audit}:lines          stream  one entry each, by Redis's clock: token, owner, what, target, reason,
                                     before (JSON), ladder
kozyr:{audit}:ladder:LADDER  stream  the entries of a ladder, with the same ids
kozyr:{audit}:outcomes       hash    entry id -> {"outcome": …, "after": …} (JSON), set once
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

import orjson

from engine.game import BadTable
from league.errors import BadValue, LeagueError
from records.errors import RefereeError
from redisio.connection import Redis
from redisio.scripts import Script
from referee.after_commit import AfterCommit, AfterCommitStep
from referee.storage import paging

ADD: Final = Script("league.operators", "audit_add.lua")
SWAP: Final = Script("league.operators", "audit_swap.lua")

MOST_REASON: Final = 500
_LINES: Final = "kozyr:{audit}:lines"
_OUTCOMES: Final = "kozyr:{audit}:outcomes"


class AuditFilter(NamedTuple):
    """A filter for entries. `None` filters nothing; `since` and `until` are in ms, inclusive."""

    action: str | None = None
    target: str | None = None
    token: str | None = None
    since: int | None = None
    until: int | None = None
    ladder: str | None = None
    """The id of a ladder, whose log is read."""


class AuditedAction:
    """An action under way."""

    after: Any = None
    """What the entry says of its target after it."""


class Audit:
    """The audit log. Safe to share between greenlets and threads."""

    def __init__(self, redis: Redis, after_commit: AfterCommit) -> None:
        """`after_commit` guards the outcome of an action that is done."""
        self._redis, self._after_commit = redis, after_commit

    @contextmanager
    def act(
        self,
        by: AuditActor,
        what: str,
        target: str,
        reason: str,
        before: Any = None,
        *,
        ladder: str | None = None,
    ) -> Iterator[AuditedAction]:
        """Keep an entry of the action in the block, also in the log of `ladder`, its id. Raise `BadValue` for an
        unprintable or too long reason."""
        if len(reason) > MOST_REASON or not reason.replace("\n", " ").isprintable():
            raise BadValue("reason", reason, f"at most {MOST_REASON} printable characters")
        line, action = self._add(by, what, target, reason, before, ladder), AuditedAction()
        try:
            yield action
        except (LeagueError, RefereeError) as refusal:
            self._settle(line, refusal.code, None)
            raise
        except BadTable:
            self._settle(line, "bad_table", None)
            raise
        self._after_commit.run(AfterCommitStep.AUDIT, lambda: self._settle(line, "done", action.after), None)

    def page(
        self, wanted: AuditFilter, cursor: str | None, limit: int
    ) -> tuple[list[AuditEntry], str | None]:
        """Return entries, the latest first, and the id for the next page (`None` at the end)."""
        found: list[AuditEntry] = []
        left = paging.MOST_EXAMINED
        while chunk := self._entries(wanted, cursor, min(paging.AT_ONCE, left)):
            for line in chunk:
                left -= 1
                cursor = line.id
                if _fits(line, wanted):
                    found.append(line)
                if len(found) == limit or left == 0:
                    return found, cursor
        return found, None

    def replace_names(self, names: Mapping[str, str]) -> None:
        """Replace names of owners and bots in all entries, which keep their ids. Safe to repeat."""
        ladders = set[str | None]()
        for raws in self._chunks(_LINES):
            self._replace_in_outcomes([ident for ident, _ in raws], names)
            ladders |= {_line(*raw, None).ladder for raw in raws if _with_names(raw[1], names) != raw[1]}
        # The logs of ladders first: if this is interrupted, the other log still tells which they are.
        for key in [*(_of_ladder(ladder) for ladder in ladders if ladder is not None), _LINES]:
            self._replace_names(key, names)

    def _replace_names(self, key: str, names: Mapping[str, str]) -> None:
        copy, last = f"{key}:copy", b""
        self._redis.one("DEL", copy)
        for raws in self._chunks(key):
            self._redis.all([("XADD", copy, ident, *_with_names(flat, names)) for ident, flat in raws])
            last = raws[-1][0]
        if last:
            self._redis.one(*SWAP.call((key, copy), last))

    def _chunks(self, key: str) -> Iterator[list[tuple[bytes, list[bytes]]]]:
        at = "-"
        while raws := self._redis.one("XRANGE", key, at, "+", "COUNT", paging.AT_ONCE):
            yield raws
            at = f"({raws[-1][0].decode()}"

    def _replace_in_outcomes(self, entries: Sequence[bytes], names: Mapping[str, str]) -> None:
        found = self._redis.one("HMGET", _OUTCOMES, *entries)
        for ident, outcome in zip(entries, found, strict=True):
            known = None if outcome is None else orjson.loads(outcome)
            new = _replaced(known, names)
            if new != known:
                self._redis.one("HSET", _OUTCOMES, ident, orjson.dumps(new))

    def _add(
        self, by: AuditActor, what: str, target: str, reason: str, before: Any, ladder: str | None
    ) -> str:
        """Add an entry without an outcome and return its id."""
        fields = {"token": by.token, "owner": by.owner, "what": what, "target": target, "reason": reason}
        fields |= {} if ladder is None else {"ladder": ladder}
        flat = [part for pair in fields.items() for part in pair]
        keys = [_LINES] if ladder is None else [_LINES, _of_ladder(ladder)]
        made: bytes = self._redis.one(*ADD.call(keys, *flat, "before", orjson.dumps(before)))
        return made.decode()

    def _settle(self, line: str, outcome: str, after: Any) -> None:
        """Set the outcome of an entry, once; later calls have no effect."""
        self._redis.one("HSETNX", _OUTCOMES, line, orjson.dumps({"outcome": outcome, "after": after}))

    def _entries(self, wanted: AuditFilter, before: str | None, most: int) -> list[AuditEntry]:
        key = _LINES if wanted.ladder is None else _of_ladder(wanted.ladder)
        since, until = wanted.since, wanted.until
        top = "+" if until is None else str(until)
        if before is not None and (until is None or int(before.partition("-")[0]) <= until):
            top = f"({before}"
        bottom = "-" if since is None else str(since)
        raws = self._redis.one("XREVRANGE", key, top, bottom, "COUNT", most)
        if not raws:
            return []
        outcomes = self._redis.one("HMGET", _OUTCOMES, *[raw[0] for raw in raws])
        return [_line(raw[0], raw[1], outcome) for raw, outcome in zip(raws, outcomes, strict=True)]


def _with_names(flat: list[bytes], names: Mapping[str, str]) -> list[bytes]:
    """Return the fields of an entry with other names of owners and bots."""
    fields = dict(zip(flat[::2], flat[1::2], strict=True))
    kind, _, target = fields[b"target"].decode().partition(" ")
    fields[b"owner"] = _replaced(fields[b"owner"].decode(), names).encode()
    fields[b"target"] = f"{kind} {_replaced(target, names)}".strip().encode()
    fields[b"reason"] = in_words(fields[b"reason"].decode(), names).encode()
    fields[b"before"] = orjson.dumps(_replaced(orjson.loads(fields[b"before"]), names))
    return [part for pair in fields.items() for part in pair]


def in_words(text: str, names: Mapping[str, str]) -> str:
    """Return a text with other names of owners and bots."""
    return "".join(_replaced(word, names) for word in re.split(r"([^a-z0-9/-]+)", text))


def _replaced(value: Any, names: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return names.get(value, value)
    if isinstance(value, list):
        return [_replaced(each, names) for each in value]
    if isinstance(value, dict):
        return {name: _replaced(each, names) for name, each in value.items()}
    return value


def _of_ladder(ladder: str) -> str:
    return f"kozyr:{{audit}}:ladder:{ladder}"


def _fits(line: AuditEntry, wanted: AuditFilter) -> bool:
    return (
        wanted.action in (None, line.action)
        and wanted.target in (None, line.target)
        and wanted.token in (None, line.by.token)
    )


class AuditActor(NamedTuple):
    """Who acts."""

    token: str
    """The id of the token, `cli` for the command line on the machine itself, or `clock`."""
    owner: str
    """The name of the token's subject, or the user of the machine."""


CLOCK: Final = AuditActor("clock", "clock")
"""The schedule of a ladder."""


class AuditEntry(NamedTuple):
    """An entry of the log. `before` and `after` describe its target. `outcome` is `done`, the code of a refusal, or
    `None` for an action that was interrupted."""

    id: str
    """Ascending."""
    at: int
    """In ms since 1970."""
    by: AuditActor
    action: str
    """`void`, `rerun`, `disable`, …"""
    target: str
    """`match ID`, `bot owner/bot`, `owner NAME`, `ladder ID`, `token ID` or `service`."""
    reason: str
    before: Any
    outcome: str | None = None
    after: Any = None
    ladder: str | None = None
    """The id of the ladder that it concerns."""


def _line(ident: bytes, flat: list[bytes], outcome: bytes | None) -> AuditEntry:
    fields = {name.decode(): value for name, value in zip(flat[::2], flat[1::2], strict=True)}
    text = {name: value.decode() for name, value in fields.items() if name != "before"}
    settled = {} if outcome is None else orjson.loads(outcome)
    return AuditEntry(
        ident.decode(),
        int(ident.partition(b"-")[0]),
        AuditActor(text["token"], text["owner"]),
        text["what"],
        text["target"],
        text["reason"],
        orjson.loads(fields["before"]),
        settled.get("outcome"),
        settled.get("after"),
        text.get("ladder"),
    )
