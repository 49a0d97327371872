"""The keys of a ladder in Redis. They share the ladder's id as their hash tag."""

from __future__ import annotations


def key_of(ladder: str, what: str) -> str:
    """A ladder's key."""
    return f"kozyr:{{ladder:{ladder}}}:{what}"


def season_key(ladder: str, season: int, what: str) -> str:
    """The key of a ladder's season."""
    return key_of(ladder, what if season == 1 else f"season:{season}:{what}")


def round_keys(ladder: str, number: int) -> tuple[str, str, str]:
    return key_of(ladder, f"round:{number}"), key_of(ladder, f"open:{number}"), key_of(ladder, "rounds")


def luck_keys(ladder: str, season: int) -> tuple[str, str, str]:
    """Of the units that wait, of what units added, and of the lines of luck (lua/luck.lua)."""
    return key_of(ladder, "luck:wait"), key_of(ladder, "luck:of"), season_key(ladder, season, "luck")
