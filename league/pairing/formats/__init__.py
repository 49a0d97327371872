"""Pairing formats: who meets whom in a round. Pure and deterministic.

Each format is a small value class in a module of its own, which states its rules and their source. A format maps a
`Field` to a `Pairing` and describes by class attributes how its rounds are run. `league.pairing.formats.field` holds
what formats share: fields, pairings, and the rule that bots of one owner never share a table.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from league.errors import BadValue
from league.pairing.formats.arena import Arena
from league.pairing.formats.field import Format
from league.pairing.formats.gauntlet import Gauntlet
from league.pairing.formats.knock_out import KnockOut
from league.pairing.formats.round_robin import PAIRS, SETS, RoundRobin
from league.pairing.formats.swiss import Swiss
from league.pairing.formats.versus import Versus

FORMATS: Final[Mapping[str, type[Format]]] = {
    format_.name: format_ for format_ in (RoundRobin, Gauntlet, Swiss, Arena, KnockOut, Versus)
}
"""The formats by name, in the order in which they are documented."""
DEFAULT_FORMAT: Final = RoundRobin.name

_WHOLE: Final = {
    "repeats": (1, 1000),
    "rounds": (1, 100),
    "groups": (1, 100),
    "batch": (1, 10_000),
    "most": (2, 100_000),
}
_NUMBERS: Final = {
    "low": (-100.0, 100.0),
    "high": (-100.0, 100.0),
    "alpha": (0.0001, 0.49),
    "beta": (0.0001, 0.49),
}


def format_of(name: str, parameters: Mapping[str, Any]) -> Format:
    """Return the format with these parameters and defaults for the others.

    Raise `BadValue` for an unknown format or parameter, and for a value out of range.
    """
    if name not in FORMATS:
        raise BadValue("format", name, "one of " + ", ".join(FORMATS))
    accepted = FORMATS[name].parameters
    for key, value in parameters.items():
        if key not in accepted:
            names = ", ".join(accepted)
            raise BadValue(
                key,
                value,
                f"a parameter of {name}: {names}" if names else f"nothing: {name} has no parameters",
            )
        if key in _WHOLE:
            low, high = _WHOLE[key]
            if type(value) is not int or not low <= value <= high:
                raise BadValue(key, value, f"a whole number from {low} to {high}")
        elif key in _NUMBERS:
            least, most = _NUMBERS[key]
            if type(value) not in (int, float) or not least <= value <= most:
                raise BadValue(key, value, f"a number from {least:g} to {most:g}")
        elif key == "meet":
            if value not in (SETS, PAIRS):
                raise BadValue(key, value, f"{SETS} or {PAIRS}")
        elif key == "challenger":
            if not isinstance(value, str):
                raise BadValue(key, value, "the full name of a bot, `owner/bot`")
        else:
            raise AssertionError(f"nothing checks the parameter {key}")
    if "low" in parameters or "high" in parameters:
        below, above = parameters.get("low"), parameters.get("high")
        if below is None or above is None or not below < above:
            raise BadValue("low", below, "below `high`, and both of them given, in points a deal")
    return FORMATS[name](**parameters)
