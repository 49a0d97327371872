"""The templates of the site."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, Final

from engine.registry import GAMES
from records.match.clock import PACES
from records.page.templating import IMPORTED, environment
from referee.greenlets import with_pauses
from web.assets import assets
from web.languages import languages
from web.schedules import in_words

if TYPE_CHECKING:
    from jinja2 import Environment

    from records.page.language import Language


_PAUSE_EVERY: Final = 500
"""After how many pieces of a page other requests run. A table of moves may have a hundred thousand."""


def render(template: str, language: Language, /, root: str = "", **context: Any) -> str:
    """Return a rendered template in this language. `root` is the path prefix of the site."""
    made = _environment(language.code, root).get_template(template).generate(context)
    return "".join(with_pauses(made, _PAUSE_EVERY))


@lru_cache(maxsize=8)
def _environment(code: str, root: str) -> Environment:
    """Return the templates of a language and a path prefix."""
    templates = environment(languages()[code], "web")
    templates.globals.update(
        asset=lambda path: root + assets().address(path),
        in_words=partial(in_words, gettext=languages()[code].messages.gettext),
        languages=languages(),
        paces=PACES,
        root=root,
        table_modules=IMPORTED,
        titles=partial(_title, code),
    )
    return templates


def _title(code: str, game: str) -> str:
    """Return the name of a game; its id if this release does not have it."""
    return GAMES[game].title[code] if game in GAMES else game
