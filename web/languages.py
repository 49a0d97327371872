"""The languages of the site: which one a request gets.

Addresses are the same in all languages, so a shared link opens in its reader's language. `?lang=` chooses a language
and a cookie keeps it; otherwise `Accept-Language` decides. `records.page.language` reads the catalogues in `locale`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from api.host_and_accept import preferred_language

if TYPE_CHECKING:
    from werkzeug.datastructures import LanguageAccept

    from records.page.language import Language

COOKIE: Final = "kozyr_lang"


def languages() -> Mapping[str, Language]:
    """Return the languages by code, English first."""
    from records.page.language import languages as with_messages  # with the first page, not with the API

    return with_messages("web")


def chosen(asked: str | None, kept: str | None, accepted: LanguageAccept) -> Language:
    """Return the language of a request: of its `lang` parameter, its cookie or its `Accept-Language`."""
    known = languages()
    for code in (asked, kept):
        if code is not None and code in known:
            return known[code]
    return known[preferred_language(accepted, list(known))]
