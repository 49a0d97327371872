"""Games with their options and rules."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Final

from flask import request
from markupsafe import Markup, escape
from werkzeug.exceptions import NotFound

from api.services import services
from engine.registry import GAMES
from records.match.frames import coded
from records.page.table import TablePage, table_data, whole
from records.page.words import TableText
from web.pages import Pages, show
from web.queries import at
from web.sample import SampleDeal, sample_deal
from web.session import viewer

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

pages = Pages("site_games", __name__)

_SCROLLS: Final = {
    "table_open": '<div class="wide" tabindex="0" role="group"><table>',
    "table_close": "</table></div>",
}
"""Wide tables scroll by themselves, with the keyboard too."""
_RULES_PAGE: Final = re.compile(r"^(\w+)\.\w\w\.md$")


@pages.page("/games")
def list_games() -> str:
    """Show the games."""
    return show("games.html", games=GAMES.values())


@pages.page("/games/<game_id>")
def show_game(game_id: str) -> str:
    """Show a game with an example deal and its rules."""
    game = GAMES.get(game_id)
    if game is None:
        raise NotFound
    text = services().rules_text(game_id, viewer().language.code)
    deal = sample_deal(game_id)
    words = TableText(viewer().language, deal.seats, game=game_id)
    seat = whole(request.args.get("seat"), len(deal.seats) - 1)
    move = whole(request.args.get("move"), len(deal.frames)) or 0
    return show(
        "game.html",
        game=game,
        rules=None if text is None else rendered(text, request.script_root),
        match={"deal": 1},
        table=TablePage(words, deal.frames, move, seat),
        data=_data(game_id, deal, words) | {"seat": seat, "move": move},
    )


def _data(game_id: str, deal: SampleDeal, words: TableText) -> dict[str, Any]:
    """Return what `static/table.js` reads from the page."""
    frames = list(coded(deal.frames))
    return table_data(
        words.to_json(), address=at(f"/games/{game_id}"), all=True, deal=1, speed="1", frames=frames
    )


def _pre(_renderer: Any, tokens: Any, index: int, _options: Any, _env: Any) -> str:
    return f'<pre tabindex="0"><code>{escape(tokens[index].content)}</code></pre>\n'


@cache
def _markdown() -> MarkdownIt:
    from markdown_it import MarkdownIt  # takes long, and most workers show no rules

    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    for kind in ("fence", "code_block"):
        markdown.add_render_rule(kind, _pre)
    for kind, html in _SCROLLS.items():
        markdown.add_render_rule(kind, lambda *_, html=html: html)
    return markdown


@lru_cache(maxsize=64)
def rendered(text: str, root: str) -> Markup:
    """Return Markdown as HTML, without its first heading. Links to other rules pages lead to games; links into the
    source tree become plain text."""
    markdown = _markdown()
    tokens = markdown.parse(text)
    if tokens and tokens[0].type == "heading_open" and tokens[0].tag == "h1":
        tokens = tokens[3:]
    for token in tokens:
        for child in token.children or ():
            if child.type == "link_open":
                address = str(child.attrGet("href") or "")
                page = _RULES_PAGE.match(address)
                if page is not None:
                    child.attrSet("href", f"{root}/games/{page[1]}")
                elif not address.startswith(("https://", "#")):
                    child.attrs = {}
    return Markup(markdown.renderer.render(tokens, markdown.options, {}))  # noqa: S704 - HTML is escaped
