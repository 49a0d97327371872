"""The languages of pages: messages, numbers and instants.

The messages themselves are English. The catalogues of the other languages are files `locale/<language>/*.po` of
packages.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import lru_cache
from gettext import NullTranslations
from importlib import resources
from types import MappingProxyType
from typing import Final

_ENGLISH: Final = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_RUSSIAN: Final = (
    *("январь", "февраль", "март", "апрель", "май", "июнь"),
    *("июль", "август", "сентябрь", "октябрь", "ноябрь", "декабрь"),
)
_ENGLISH_SHORT: Final = tuple("Sept" if month == "September" else month[:3] for month in _ENGLISH)
_RUSSIAN_SHORT: Final = (
    *("янв.", "февр.", "мар.", "апр.", "мая", "июн."),
    *("июл.", "авг.", "сент.", "окт.", "нояб.", "дек."),
)


@dataclass(frozen=True, slots=True)
class Language:
    """A language of pages."""

    code: str
    name: str
    """Its name in itself."""
    separators: str
    """What stands between thousands, and before the decimals."""
    months: tuple[str, ...]
    short_months: tuple[str, ...]
    """Abbreviations of the months, as dates have them."""
    messages: NullTranslations

    def number(self, value: float | None, decimals: int = 0) -> str:
        """Return a number as the language writes it; a dash for `None`."""
        if value is None:
            return "–"
        text = f"{Decimal(str(value)):,.{decimals}f}".replace("-", "−")
        return text.translate(dict(zip(map(ord, ",."), self.separators, strict=True)))

    def signed(self, value: float | None, decimals: int = 2) -> str:
        """Return a number with its sign."""
        if value is None:
            return "–"
        text = self.number(abs(value), decimals)
        zero = self.number(0, decimals)
        return text if text == zero else ("+" if value > 0 else "−") + text

    def local(self, instant: datetime, zone: str) -> str:
        """Return an instant in its own time zone, with the zone's name."""
        return f"{self._day(instant)}, {instant:%H:%M} {zone}"

    def day(self, ms: int | None) -> str:
        """Return the day of an instant, in UTC; a dash for `None`."""
        return "–" if ms is None else self._day(datetime.fromtimestamp(ms / 1000, UTC))

    def _day(self, instant: datetime) -> str:
        return f"{instant.day} {self.short_months[instant.month - 1]} {instant.year}"

    def instant(self, ms: int | None) -> str:
        """Return an instant in ms since 1970, in UTC; a dash for `None`."""
        return "–" if ms is None else self.local(datetime.fromtimestamp(ms / 1000, UTC), "UTC")

    def month(self, month: str) -> str:
        """Return a month (`2026-11`) in words."""
        first = date.fromisoformat(f"{month}-01")
        return f"{self.months[first.month - 1]} {first.year}"


class _Russian(NullTranslations):
    """The merged Russian catalogues of some packages."""

    def __init__(self, packages: tuple[str, ...]) -> None:
        super().__init__()
        self._texts: dict[str, list[str]] = {}
        for package in packages:
            for file in (resources.files(package) / "locale" / "ru").iterdir():
                if file.name.endswith(".po"):
                    self._texts.update(entries(file.read_text(encoding="utf-8")))

    def gettext(self, message: str) -> str:
        return self._texts.get(message, [message])[0]

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        forms = self._texts.get(msgid1)
        if forms is None:
            return super().ngettext(msgid1, msgid2, n)
        if n % 10 == 1 and n % 100 != 11:
            return forms[0]
        return forms[1 if 2 <= n % 10 <= 4 and not 10 <= n % 100 < 20 else 2]

    def pgettext(self, context: str, message: str) -> str:
        return self._texts.get(f"{context}\4{message}", [message])[0]


def entries(catalogue: str) -> Iterator[tuple[str, list[str]]]:
    """Yield each message of a `.po` file with its translation, or all forms of it. A context stands before its message,
    divided by `\\4`. Messages without a translation are left out."""
    fields: dict[str, str] = {}
    keyword = ""
    for line in [*catalogue.splitlines(), ""]:
        if line.startswith("msg"):
            keyword, _, text = line.partition(" ")
            fields[keyword] = json.loads(text)
        elif line.startswith('"'):
            fields[keyword] += json.loads(line)
        elif not line.strip() and fields:
            forms = [text for name, text in fields.items() if name.startswith("msgstr")]
            context = f"{fields['msgctxt']}\4" if "msgctxt" in fields else ""
            if fields["msgid"] and all(forms):
                yield context + fields["msgid"], forms
            fields = {}


@lru_cache(maxsize=4)
def languages(*packages: str) -> Mapping[str, Language]:
    """Return the languages by code, English first, with the messages of match pages and of these packages."""
    russian = _Russian(("records.page", *packages))
    return MappingProxyType(
        {
            "en": Language("en", "English", ",.", _ENGLISH, _ENGLISH_SHORT, NullTranslations()),
            "ru": Language("ru", "Русский", "\N{NO-BREAK SPACE},", _RUSSIAN, _RUSSIAN_SHORT, russian),
        }
    )
