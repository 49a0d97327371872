"""The form of a record in format 1: its fields and their types."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from records.ids import is_match_id
from records.instants import ms_of, text_of
from records.match import shuffle
from records.match.assist import ASSISTS, LIST
from records.match.log import MOST_NOTE, is_note
from records.match.record import BESIDE, FORMAT
from records.match.session import Ending


class Finding(NamedTuple):
    """One error in a record."""

    where: str
    """The path in the document, as in `moves[17].ms`; empty for the document itself."""
    wrong: str
    """What is wrong there."""
    right: str
    """What would be right."""

    def __str__(self) -> str:
        return f"{self.where or 'the record'}: {self.wrong}; expected {self.right}"


def shown(value: object) -> str:
    """Return a JSON value for use in a sentence, shortened if it is long."""
    text = json.dumps(value, ensure_ascii=False, default=repr)
    return text if len(text) <= 100 else text[:97] + "…"


Form = Callable[[str, object], Iterator[Finding]]
_BOT: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,31}/[a-z0-9][a-z0-9-]{0,31}")


def check_form(record: object) -> Iterator[Finding]:
    """Yield the errors in the form of a record. For an unknown format, only the format itself is reported."""
    if isinstance(record, Mapping) and "format" in record:
        findings = list(_FORMAT("format", record["format"]))
        if findings:
            yield from findings
            return
    if isinstance(record, Mapping):
        record = {name: value for name, value in record.items() if name not in BESIDE}
    yield from _RECORD("", record)


def check_proof_form(proof: object) -> list[Finding]:
    """Return the errors in the form of a proof. Those in dumps have no signature, and then no key."""
    is_signed = not isinstance(proof, Mapping) or not proof.keys().isdisjoint(_SIGNATURE)
    return list((_SIGNED_PROOF if is_signed else _PROOF)("proof", proof))


def _leaf(fits: Callable[[Any], bool], right: str) -> Form:
    def check(where: str, value: object) -> Iterator[Finding]:
        if not fits(value):
            yield Finding(where, f"it is {shown(value)}", right)

    return check


def _whole(least: int, most: int = 2**53 - 1) -> Form:
    bounds = f"from {least} to {most}" if most < 2**53 - 1 else f"of at least {least}"
    return _leaf(lambda value: type(value) is int and least <= value <= most, f"a whole number {bounds}")


def _text(fits: Callable[[str], bool] = bool, right: str = "a text that is not empty") -> Form:
    return _leaf(lambda value: isinstance(value, str) and _is_unicode(value) and fits(value), right)


def _hex(digits: int) -> Form:
    form = re.compile(f"[0-9a-f]{{{digits}}}")
    return _text(lambda text: form.fullmatch(text) is not None, f"{digits} hexadecimal digits in lower case")


def _one_of(*words: str) -> Form:
    return _text(lambda text: text in words, "one of " + ", ".join(words))


def _nullable(form: Form) -> Form:
    def check(where: str, value: object) -> Iterator[Finding]:
        if value is not None:
            for finding in form(where, value):
                here = finding.where == where
                yield finding._replace(right=f"null or {finding.right}") if here else finding

    return check


def _listed(form: Form, least: int = 0) -> Form:
    def check(where: str, value: object) -> Iterator[Finding]:
        if not isinstance(value, list) or len(value) < least:
            yield Finding(
                where, f"it is {shown(value)}", f"a list of at least {least}" if least else "a list"
            )
            return
        for number, item in enumerate(value):
            yield from form(f"{where}[{number}]", item)

    return check


def _fields(fields: Mapping[str, Form], optional: Mapping[str, Form] | None = None) -> Form:
    known = {**fields, **(optional or {})}

    def check(where: str, value: object) -> Iterator[Finding]:
        if not isinstance(value, Mapping):
            yield Finding(where, f"it is {shown(value)}", "an object with " + ", ".join(known))
            return
        beginning = where and where + "."
        for name in fields:
            if name not in value:
                yield Finding(beginning + name, "it is missing", "a record with this field")
        for name, item in value.items():
            if name in known:
                yield from known[name](beginning + name, item)
            else:
                yield Finding(beginning + str(name), "there is no such field", "one of " + ", ".join(known))

    return check


def _mapped(form: Form) -> Form:
    def check(where: str, value: object) -> Iterator[Finding]:
        if not isinstance(value, Mapping):
            yield Finding(where, f"it is {shown(value)}", "an object")
            return
        for name, item in value.items():
            yield from form(f"{where}.{name}", item)

    return check


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_instant(text: str) -> bool:
    try:
        return text_of(ms_of(text)) == text
    except (ValueError, OverflowError):
        return False


_MOST_SEATS: Final = 16
_SEAT_NUMBER: Final = _whole(0, _MOST_SEATS - 1)
_INSTANT: Final = _text(_is_instant, "an instant in UTC with milliseconds, as in 2026-11-21T18:00:00.123Z")
_FLAG: Final = _leaf(lambda value: isinstance(value, bool), "true or false")
_SEAT: Final = _fields(
    {
        "bot": _text(lambda text: _BOT.fullmatch(text) is not None, "`owner/bot`"),
        "id": _text(),
        "version": _text(lambda text: True, "a text"),
    },
    {"person": _leaf(lambda value: value is True, "true, or no such field for a bot")},
)
_FORMAT: Final = _leaf(lambda value: type(value) is int and value == FORMAT, str(FORMAT))
_NOTE: Final = _text(
    lambda text: text != "" and is_note(text), f"1 to {MOST_NOTE} characters without control characters"
)
_MOVE: Final = _fields(
    {"seat": _nullable(_SEAT_NUMBER), "move": _text()},
    {"ms": _whole(0), "by": _one_of("timeout", "forfeit", "continued"), "note": _NOTE},
)
_MATCH_ID: Final = _text(is_match_id, "the id of a match: two digits of its bucket, 26 letters and digits")
_SUITS: Final = _text(
    lambda text: sorted(text) == ["C", "D", "H", "S"], "the suits that C, D, H and S become, as in CDHS"
)
_CONTINUES: Final = _fields(
    {
        "match": _MATCH_ID,
        "deal": _whole(1),
        "move": _whole(0),
        "shuffles": _listed(
            _fields(
                {
                    "match": _MATCH_ID,
                    "deals": _whole(1),
                    "secret": _hex(64),
                    "entropy": _listed(_nullable(_text()), 1),
                    "suits": _SUITS,
                }
            ),
            1,
        ),
    }
)
_RECORD: Final = _fields(
    {
        "format": _FORMAT,
        "id": _MATCH_ID,
        "game": _text(),
        "options": _mapped(
            _leaf(
                lambda value: value is None or isinstance(value, (bool, str)) or type(value) is int,
                "true, false, a whole number, a text or null",
            )
        ),
        "preset": _text(),
        "rules": _text(),
        "deals": _whole(1),
        "dealer": _nullable(_SEAT_NUMBER),
        "seats": _listed(_nullable(_SEAT), 1),
        "clock": _fields(
            {
                "move_ms": _whole(0),
                "bank_ms": _whole(0),
                "increment_ms": _whole(0),
                "grace_ms": _whole(0),
                "strikes": _whole(1),
            }
        ),
        "rated": _FLAG,
        "ladder": _nullable(_text()),
        "group": _nullable(_text()),
        "started": _nullable(_INSTANT),
        "ended": _INSTANT,
        "moves": _listed(_MOVE),
        "scores": _listed(_leaf(lambda value: type(value) is int, "a whole number"), 1),
        "places": _listed(_whole(1, _MOST_SEATS), 1),
        "forfeits": _listed(_SEAT_NUMBER),
        "ending": _one_of(*[ending.value for ending in Ending]),
        "shuffle": _fields(
            {
                "algorithm": _one_of(shuffle.ALGORITHM),
                "commitment": _hex(64),
                "secret": _hex(64),
                "entropy": _listed(_nullable(_text()), 1),
                "dealer": _one_of("drawn", "given"),
            },
            {"suits": _SUITS},
        ),
    },
    {
        "assist": _one_of(*[name for name in ASSISTS if name != LIST]),
        "round": _whole(1),
        "season": _whole(1),
        "continues": _CONTINUES,
        "absent": _listed(_SEAT_NUMBER, 1),
        "hints": _listed(_whole(1), 1),
    },
)
_PLACE: Final = {"number": _whole(1), "previous": _hex(64), "link": _hex(64)}
_SIGNATURE: Final = {"key": _hex(64), "signature": _hex(128)}
_PROOF: Final = _fields(_PLACE)
_SIGNED_PROOF: Final = _fields({**_PLACE, **_SIGNATURE})
