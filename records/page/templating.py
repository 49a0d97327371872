"""The templates of pages, with the messages and formats of a language, and the scripts of the card table.

The site loads the scripts one by one. A page in a file has them joined into one.
"""

from __future__ import annotations

import re
from functools import lru_cache, partial
from importlib import resources
from typing import Final

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from records.instants import ms_of, text_of
from records.page.language import Language


def environment(language: Language, *packages: str) -> Environment:
    """Return the templates of match pages and of these packages in a language."""
    templates = Environment(
        loader=ChoiceLoader([PackageLoader(package) for package in ("records.page", *packages)]),
        autoescape=True,
        undefined=StrictUndefined,
        extensions=["jinja2.ext.i18n", "jinja2.ext.do"],
        lstrip_blocks=True,
    )
    messages = language.messages
    templates.install_gettext_callables(  # type: ignore[attr-defined]  # from the extension i18n
        messages.gettext, messages.ngettext, newstyle=True, pgettext=messages.pgettext
    )
    templates.policies["ext.i18n.trimmed"] = True
    # The same figures come again and again in a table.
    templates.filters.update(
        number=lru_cache(maxsize=4096)(language.number),
        signed=lru_cache(maxsize=4096)(language.signed),
        instant=partial(_time, language),
        day=language.day,
        month=language.month,
        instant_text=lru_cache(maxsize=1024)(lambda text: _time(language, ms_of(text))),
    )
    templates.globals.update(language=language)
    return templates


def _time(language: Language, ms: int | None) -> str:
    """Return an instant as an element that the site's `times.js` puts into the reader's time zone."""
    if ms is None:
        return language.instant(ms)
    return Markup('<time datetime="{}">{}</time>').format(text_of(ms), language.instant(ms))


TABLE: Final = "table.js"
IMPORTED: Final = (
    "artwork.js",
    "dom.js",
    "cards.js",
    "words.js",
    "frames.js",
    "keys.js",
    "board.js",
    "motion.js",
    "moves.js",
    "pick.js",
    "graph.js",
    "review.js",
    "facts.js",
    "clock.js",
    "strip.js",
    "sheet.js",
)
"""The modules that `TABLE` imports. Each imports only from those before it."""
_IMPORT: Final = re.compile(r"^import [^;]*;\n", re.MULTILINE)
_EXPORT: Final = re.compile(r"^export ", re.MULTILINE)


def static_text(name: str) -> str:
    """Return a static file that can stand inside a page: it must not close its own element."""
    text = (resources.files("records.page") / "static" / name).read_text(encoding="utf-8")
    assert "</s" not in text.lower(), f"{name} would end its element"
    return text


def joined() -> str:
    """Return all modules as one script. No two of them declare the same name."""
    modules = [_IMPORT.sub("", static_text(name)) for name in (*IMPORTED, TABLE)]
    return _EXPORT.sub("", "\n".join(modules))
