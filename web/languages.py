"""The languages of the site: which one a request gets.

Addresses are the same in all languages, so a shared link opens in its reader's language. `?lang=` chooses a language
and a cookie keeps it; otherwise `Accept-Language` decides. The catalogues are the files `locale/<language>/*.po`,
merged; the messages themselves are English.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from werkzeug.datastructures import LanguageAccept

    from web.language import Language

COOKIE: Final = "kozyr_lang"


@lru_cache(maxsize=1)
def languages() -> Mapping[str, Language]:
    """Return the languages by code, English first."""
    from web.language import english, russian  # with the first page, not with the API

    return MappingProxyType({"en": english(), "ru": russian()})


def chosen(asked: str | None, kept: str | None, accepted: LanguageAccept) -> Language:
    """Return the language of a request: of its `lang` parameter, its cookie or its `Accept-Language`."""
    known = languages()
    for code in (asked, kept):
        if code is not None and code in known:
            return known[code]
    return known[accepted.best_match(list(known), default="en") or "en"]
