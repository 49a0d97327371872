"""The rules of a game in few words: what a player needs for a first match."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Final

from engine.registry import GAMES

_FOLDER: Final = resources.files("records.words") / "digests"


@cache
def digest(game: str, language: str = "en") -> str:
    """Return the rules of a game in at most 400 tokens. A game without a digest gets its options and verbs."""
    page = _FOLDER / f"{game}.{language}.txt"
    if page.is_file():
        return page.read_text(encoding="utf-8").rstrip()
    rules = GAMES[game]
    options = ", ".join(f"{name}: {schema['title']}" for name, schema in rules.option_schemas.items())
    return f"{rules.title[language]}. Moves begin with: {', '.join(rules.verbs)}. Options: {options or '-'}."
