"""The leaderboard by language model."""

from __future__ import annotations

from web.intervals import ends_of
from web.pages import Pages, show
from web.queries import among
from web.services import services

pages = Pages("site_models", __name__)


@pages.page("/models")
def list_models() -> str:
    """Show the language models of a preset."""
    board = services().models
    presets = board.presets()
    preset = among("preset", presets) or next(iter(presets), None)
    lines = [] if preset is None else board.lines(preset)
    drawn = ends_of((line.rating.low, line.rating.high) for line in lines if line.rating)
    return show("models.html", presets=presets, preset=preset, lines=lines, drawn=drawn)
