"""What a bot reports about a move beside the move itself: tokens, cost, mendings and thoughts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

MOST_THOUGHTS: Final = 8192
"""The longest thoughts on a move, in bytes of UTF-8. The client cuts longer ones."""
USAGE: Final = ("input_tokens", "output_tokens", "cost_micro_usd")


def facts_field(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the facts as a field of a move. What the service would not accept is left out, so that no fact costs a
    move."""
    found: dict[str, Any] = {
        name: value for name in USAGE if type(value := facts.get(name)) is int and 0 <= value <= 10**9
    }
    mended, thoughts = facts.get("mended"), facts.get("thoughts")
    if isinstance(mended, list) and mended:
        found["mended"] = mended
    if isinstance(thoughts, str) and thoughts:
        found["thoughts"] = thoughts.encode(errors="replace")[:MOST_THOUGHTS].decode(errors="ignore")
    return {"facts": found} if found else {}
