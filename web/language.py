"""A language of the site: its messages, numbers and instants, with Babel.

Babel is large, and the API does not need it. Only `web.languages.languages` imports this module.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from datetime import UTC, date, datetime
from importlib import resources
from typing import Final

from babel import Locale
from babel.dates import format_date, format_datetime
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.numbers import format_decimal
from babel.support import NullTranslations, Translations

LOCALES: Final = resources.files("web") / "locale"


@dataclass(frozen=True, slots=True)
class Language:
    """A language of the site."""

    code: str
    name: str
    """Its name in itself."""
    locale: Locale
    messages: NullTranslations

    def number(self, value: float | None, decimals: int = 0) -> str:
        """Return a number as the language writes it; a dash for `None`."""
        if value is None:
            return "–"
        digits = "." + "0" * decimals if decimals else ""
        return format_decimal(value, f"#,##0{digits}", self.locale).replace("-", "−")

    def signed(self, value: float | None, decimals: int = 2) -> str:
        """Return a number with its sign."""
        if value is None:
            return "–"
        text = self.number(abs(value), decimals)
        zero = self.number(0, decimals)
        return text if text == zero else ("+" if value > 0 else "−") + text

    def local(self, instant: datetime, zone: str) -> str:
        """Return an instant in its own time zone, with the zone's name."""
        return f"{format_datetime(instant, 'd MMM yyyy, HH:mm', tzinfo=instant.tzinfo, locale=self.locale)} {zone}"

    def instant(self, ms: int | None, form: str = "d MMM yyyy, HH:mm") -> str:
        """Return an instant in ms since 1970, in UTC; a dash for `None`."""
        if ms is None:
            return "–"
        return format_datetime(datetime.fromtimestamp(ms / 1000, UTC), form, locale=self.locale) + " UTC"

    def month(self, month: str) -> str:
        """Return a month (`2026-11`) in words."""
        return format_date(date.fromisoformat(f"{month}-01"), "LLLL yyyy", locale=self.locale)


def english() -> Language:
    return Language("en", "English", Locale("en", "GB"), NullTranslations())


def russian() -> Language:
    return Language("ru", "Русский", Locale("ru"), _messages("ru"))


def _messages(code: str) -> NullTranslations:
    """Return the merged catalogues of a language."""
    merged: Translations | None = None
    for path in sorted((LOCALES / code).iterdir(), key=lambda path: path.name):
        if not path.name.endswith(".po"):
            continue
        compiled = io.BytesIO()
        with path.open("rb") as text:
            write_mo(compiled, read_po(text, locale=code))
        compiled.seek(0)
        more = Translations(compiled)
        merged = more if merged is None else merged.merge(more)
    if merged is None:
        raise FileNotFoundError(f"no catalogue of the language {code}")
    return merged
