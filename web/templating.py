"""Templates. `render` needs no request, so that pages can be written to files as well."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined

from engine.registry import GAMES
from records.instants import ms_of
from referee.yielding import with_pauses
from web.assets import assets
from web.languages import languages

if TYPE_CHECKING:
    from web.language import Language


_PAUSE_EVERY: Final = 500
"""After how many pieces of a page other requests run. A table of moves may have a hundred thousand."""


def render(template: str, language: Language, /, root: str = "", **context: Any) -> str:
    """Return a rendered template in this language. `root` is the path prefix of the site."""
    made = _environment(language.code, root).get_template(template).generate(context)
    return "".join(with_pauses(made, _PAUSE_EVERY))


@lru_cache(maxsize=8)
def _environment(code: str, root: str) -> Environment:
    """Return the templates of a language and a path prefix, with the messages and formats."""
    language = languages()[code]
    templates = Environment(
        loader=PackageLoader("web"),
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
    # Babel's formatting takes longer than the rest of a table's row, and the same figures come again and again.
    templates.filters.update(
        number=lru_cache(maxsize=4096)(language.number),
        signed=lru_cache(maxsize=4096)(language.signed),
        instant=language.instant,
        month=language.month,
        instant_text=lru_cache(maxsize=1024)(lambda text: language.instant(ms_of(text))),
    )
    templates.globals.update(
        asset=lambda path: root + assets().address(path),
        language=language,
        languages=languages(),
        root=root,
        titles=partial(_title, code),
    )
    return templates


def _title(code: str, game: str) -> str:
    """Return the name of a game; its id if this release does not have it."""
    return GAMES[game].title[code] if game in GAMES else game
