"""Badges: one fact about a bot as a small picture, for a README."""

from __future__ import annotations

from typing import Any

from flask import Response

from api.blueprint import Blueprint
from api.contract.describe import describe
from api.formats import pictures
from api.formats.csv_and_svg import PICTURE, picture
from api.problems import Problem
from api.schemas.common import Strict, String
from api.services import services
from engine.quoting import quoted
from league.accounts.model import Bot

blueprint = Blueprint("badges", __name__, description="Small pictures for a README.")

Body = dict[str, Any]
_GOOD, _BAD, _PLAIN = "#1b7f4b", "#b2182b", "#2166ac"


class BadgeQuery(Strict):
    """What the badge shows."""

    preset = String(1, 300, "Show the rating in this preset", metadata={"example": "durak/2"})
    ladder = String(1, 64, "Show the place in this ladder")


@blueprint.route("/v1/bots/<owner>/<bot>/badge.svg")
@describe(
    "drawBadge",
    PICTURE,
    problems=["not_found", "no_such_bot", "no_such_preset", "no_such_ladder"],
    query=BadgeQuery,
)
def draw_badge(query: Body, owner: str, bot: str) -> Response:
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
    return picture(pictures.badge(f"{target.full_name}: {label}", value, colour))


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
