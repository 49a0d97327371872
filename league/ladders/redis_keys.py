"""The keys of a ladder in Redis. They share the ladder's id as their hash tag."""

from __future__ import annotations


def key_of(ladder: str, what: str) -> str:
    return f"kozyr:{{ladder:{ladder}}}:{what}"


def season_key(ladder: str, season: int, what: str) -> str:
    """Return a key of a season. The first season's keys have no season in their names."""
    return key_of(ladder, what if season == 1 else f"season:{season}:{what}")


def round_keys(ladder: str, number: int) -> tuple[str, str, str]:
    """Return the keys of a round, of its open matches and of the ladder's rounds."""
    return key_of(ladder, f"round:{number}"), key_of(ladder, f"open:{number}"), key_of(ladder, "rounds")


def changed_key(ladder: str) -> str:
    """Return the key of the units with matches taken back, whose shares stay in Redis."""
    return key_of(ladder, "units:changed")


def version_key(ladder: str) -> str:
    """Return the key of the version of the standings: each change of entries or totals raises it."""
    return key_of(ladder, "version")
