"""Badges: one fact about a bot as a small picture, for a README."""

from __future__ import annotations

import unicodedata
from typing import Any, Final
from xml.sax.saxutils import escape

from flask import Response, request

from api.blueprint import Blueprint
from api.contract.describe import ResponseSpec, header
from api.problems import Problem
from api.schemas.common import Strict, String
from api.services import services
from engine.quoting import quoted
from league.accounts.model import Bot

blueprint = Blueprint("badges", __name__, description="Small pictures for a README.")

Body = dict[str, Any]
ENDPOINT: Final = "badges.draw_badge"
"""The endpoint whose responses pages of any origin may embed."""
_SVG: Final = "image/svg+xml"
_PICTURE: Final = (
    ResponseSpec(
        "The picture, with an `ETag`. Pages of any origin may embed it",
        content={_SVG: {"type": "string"}},
        headers={"ETag": header("Names these bytes", required=True)},
    ),
    ResponseSpec("The picture still has the `ETag` of the request's `If-None-Match`", status=304),
)
_KEPT: Final = "public, max-age=60, stale-while-revalidate=600, stale-if-error=86400"
_GOOD, _BAD, _PLAIN = "#1b7f4b", "#b2182b", "#2166ac"
_SIZE: Final = 11
"""The size of the font, in pixels."""
_MOST_WIDTH: Final = 300
"""The most pixels of a label or a value."""


class BadgeQuery(Strict):
    """What the badge shows."""

    preset = String(1, 300, "Show the rating in this preset", metadata={"example": "durak/2"})
    ladder = String(1, 64, "Show the place in this ladder")


@blueprint.serve(
    "GET /v1/bots/<owner>/<bot>/badge.svg", *_PICTURE, problems=["no_such_ladder"], query=BadgeQuery
)
def draw_badge(query: Body, owner: str, bot: str) -> object:
    """Draw a badge of a bot as SVG.

    With `preset` it shows the rating with its interval, with `ladder` the place in the current season, and without
    them the version that last passed a conformance check.
    """
    target = services().accounts.bot(owner, bot)
    if "preset" in query:
        label, value, colour = _rating(target, query["preset"])
    elif "ladder" in query:
        label, value, colour = _place(target, query["ladder"])
    else:
        label, value, colour = _conformance(target)
    return _picture(drawn(f"{target.full_name}: {label}", value, colour))


def _rating(bot: Bot, text: str) -> tuple[str, str, str]:
    preset = services().ratings.preset(text)
    if preset is None:
        raise Problem("no_such_preset", f"{quoted(text)} has no ratings")
    rating = services().ratings.ratings(preset, [bot.id]).get(bot.id)
    if rating is None:
        return preset, "unrated", _PLAIN
    own_pool = "" if rating.pool is None else " (own pool)"
    return preset, f"{rating.mu:.0f} ± {(rating.high - rating.low) / 2:.0f}{own_pool}", _PLAIN


def _place(bot: Bot, ladder_id: str) -> tuple[str, str, str]:
    standings = services().standings.table(ladder_id)
    placed = sum(row.standing.place is not None for row in standings.rows)
    for standing, *_ in standings.rows:
        if standing.bot == bot.id and standing.line.matches and standing.place is not None:
            return standings.ladder.name, f"place {standing.place} of {placed}", _PLAIN
    return standings.ladder.name, "no place yet", _PLAIN


def _conformance(bot: Bot) -> tuple[str, str, str]:
    if bot.house:
        return "conformance", "house bot", _PLAIN
    passed = services().ladders.fitness.of([bot.id])[bot.id].passed
    if passed is None:
        return "conformance", "not checked", _BAD
    return "conformance", f"passed by version {passed.version}", _GOOD


def drawn(label: str, value: str, colour: str) -> str:
    """Return a badge: a label on grey, and a value on this colour."""
    label, value = _cut(label), _cut(value)
    left, right = (round(_width(text)) + 14 for text in (label, value))
    width, title = left + right, escape(f"{label}: {value}", {'"': "&quot;"})
    texts = "".join(
        f'<text x="{middle:g}" y="14" text-anchor="middle">{escape(text)}</text>'
        for text, middle in ((label, left / 2), (value, left + right / 2))
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20" viewBox="0 0 {width} 20" '
        f'role="img" aria-label="{title}"><title>{title}</title>'
        f'<rect width="{width}" height="20" rx="3" fill="#4b5563"/>'
        f'<path d="M{left} 0h{right - 3}a3 3 0 0 1 3 3v14a3 3 0 0 1 -3 3h-{right - 3}z" fill="{colour}"/>'
        f'<g fill="#fff" font-family="Verdana, DejaVu Sans, sans-serif" font-size="11">{texts}</g></svg>\n'
    )


def _width(text: str) -> float:
    """Estimate the width of a text in a sans-serif font, in pixels, rather too wide: the reader's font is unknown."""
    return _SIZE * sum(map(_ems, text))


def _ems(letter: str) -> float:
    if unicodedata.combining(letter):
        return 0.0
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.1
    if letter in "il.,:;'|!ftjrI1 -/()[]":
        return 0.42 if letter not in "r1-" else 0.5
    return 0.95 if letter in "mwMWQ@%—…" else 0.75 if letter.isupper() else 0.64


def _cut(text: str) -> str:
    """Return the text, shortened with an ellipsis to fit."""
    if _width(text) <= _MOST_WIDTH:
        return text
    while _width(text + "…") > _MOST_WIDTH:
        text = text[:-1]
    return text.rstrip() + "…"


def _picture(svg: str) -> Response:
    """Return a picture.

    Caches may keep it for a minute and then revalidate it by its `ETag`. They may show it for a day while the service
    is unreachable.
    """
    response = Response(svg, headers={"Cache-Control": _KEPT}, mimetype=_SVG)
    response.add_etag()
    response.make_conditional(request)
    return response
