"""The modules of the card table: loaded one by one by the site, joined into one script in a file."""

from __future__ import annotations

import re
from importlib import resources
from typing import Final

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
