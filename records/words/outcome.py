"""The results of moves and of matches in words. Other people's names are no part of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from records.words.phrases import PHRASES


def made_text(made: Mapping[str, Any], language: str = "en") -> str:
    """Return what `records.match.views.moved_view` says."""
    return PHRASES[language]["made"].format(match=made["match"], move=made["move"])


def refused_text(result: Mapping[str, Any], language: str = "en") -> str:
    """Return why a move of several was refused."""
    problem = result["problem"]
    return PHRASES[language]["refused"].format(
        match=result["match"], code=problem["code"], detail=problem.get("detail", problem["title"])
    )


def finished_text(finished: Mapping[str, Any], language: str = "en") -> str:
    """Return what `records.match.views.finished_view` says."""
    words = PHRASES[language]
    text = words["over"].format(
        match=finished["match"],
        ending=words.get(f"ending {finished['ending']}", finished["ending"]),
        seat=finished["seat"],
        scores=" ".join(map(str, finished["scores"])),
    )
    if finished.get("places"):
        text += " " + words["places"].format(places=" ".join(map(str, finished["places"])))
    if finished.get("forfeits"):
        text += " " + words["forfeits"].format(seats=" ".join(f"#{seat}" for seat in finished["forfeits"]))
    return text
