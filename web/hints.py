"""Hints in words, for the page and for `static/play.js`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from league.hints import Hint, HintState
from records.page.language import Language
from records.page.words import TableText
from records.reviews.model import Advice

STATES: Final[Mapping[HintState, str]] = MappingProxyType(
    {
        HintState.NONE: "",
        HintState.SPENT: "You have used all hints of this match.",
        HintState.WAITING: "The judge of reviews looks for the best move.",
        HintState.LATE: "No worker of the service is free. The hint comes as soon as one is.",
        HintState.LOST: "No hint came: no worker of the service was free. Ask again later.",
        HintState.ELSEWHERE: "You wait for a hint in another match. Ask again in half a minute.",
        HintState.UNKNOWN: "There is no hint for this position.",
    }
)
"""What a page says while there is no hint, in English; the catalogues translate it."""


class ShownHint(NamedTuple):
    """A hint as the page shows it."""

    state: HintState
    turn: int
    text: str
    move: str | None
    """The best move, once it is known."""

    @property
    def waits(self) -> bool:
        return self.state in (HintState.WAITING, HintState.LATE)

    @property
    def may_ask(self) -> bool:
        return self.state in (HintState.NONE, HintState.LOST, HintState.ELSEWHERE)

    def to_json(self) -> dict[str, Any]:
        return {**self._asdict(), "waits": self.waits, "may_ask": self.may_ask}


def shown(hint: Hint, text: TableText, seat: int) -> ShownHint:
    """Return a hint in the words of a page."""
    if hint.advice is None:
        told = STATES[hint.state] and text.language.messages.gettext(STATES[hint.state])
        return ShownHint(hint.state, hint.turn, told, None)
    translate = text.language.messages.gettext
    told = f"{_told(hint.advice, text, seat)} {translate('Hints left: %(left)s.') % {'left': hint.left}}"
    return ShownHint(hint.state, hint.turn, told, hint.advice.best)


def _told(advice: Advice, text: TableText, seat: int) -> str:
    """Return which move is best, and how much better than the next one."""
    translate, language = text.language.messages.gettext, text.language
    names = {"best": text.move(advice.best, seat), "second": text.move(advice.second or "", seat)}
    if advice.exact:
        return _exactly(advice, language, translate) % names
    if not advice.certain:
        return translate("Hint: %(best)s. It seems a little better than: %(second)s.") % names
    if advice.second is None:
        return translate("Hint: %(best)s. It is the only sensible move.") % names
    points = language.number(advice.lead, 1)
    told = translate("Hint: %(best)s. It is better by about %(points)s points than: %(second)s.")
    return told % {**names, "points": points}


def _exactly(advice: Advice, language: Language, translate: Callable[[str], str]) -> str:
    """Return the sentence about a move where nothing is hidden, with places for the moves."""
    if not advice.lead:
        return translate("Hint: %(best)s. Nothing is hidden: this is exact. As good is: %(second)s.")
    lead = round(advice.lead)
    told = language.messages.ngettext(
        "Hint: %(best)s. Nothing is hidden: this is exact. Any other move loses at least %(lead)s point.",
        "Hint: %(best)s. Nothing is hidden: this is exact. Any other move loses at least %(lead)s points.",
        lead,
    )
    return told.replace("%(lead)s", str(lead))
