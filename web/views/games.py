"""Games with their options and rules."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from markdown_it import MarkdownIt
from markupsafe import Markup
from werkzeug.exceptions import NotFound

from engine.registry import GAMES
from web.pages import Pages, show
from web.services import services
from web.session import viewer

pages = Pages("site_games", __name__)

_MARKDOWN: Final = MarkdownIt("commonmark", {"html": False}).enable("table")
_RULES_PAGE: Final = re.compile(r"^(\w+)\.\w\w\.md$")


@pages.page("/games")
def list_games() -> str:
    """Show the games."""
    return show("games.html", games=GAMES.values())


@pages.page("/games/<game_id>")
def show_game(game_id: str) -> str:
    """Show a game with its options and its rules."""
    game = GAMES.get(game_id)
    if game is None:
        raise NotFound
    language = viewer().language.code
    text = services().rules_text(game_id, language)
    rules = None if text is None else rendered(text)
    return show("game.html", game=game, rules=rules)


@lru_cache(maxsize=64)
def rendered(text: str) -> Markup:
    """Return Markdown as HTML, without its first heading. Links to other rules pages lead to games; links into the
    source tree become plain text."""
    tokens = _MARKDOWN.parse(text)
    if tokens and tokens[0].type == "heading_open" and tokens[0].tag == "h1":
        tokens = tokens[3:]
    for token in tokens:
        if token.type == "table_open":
            token.attrSet("class", "options")
        for child in token.children or ():
            if child.type == "link_open":
                address = str(child.attrGet("href") or "")
                page = _RULES_PAGE.match(address)
                if page is not None:
                    child.attrSet("href", f"/games/{page[1]}")
                elif not address.startswith(("https://", "#")):
                    child.attrs = {}
    return Markup(_MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {}))  # noqa: S704 - HTML is escaped
