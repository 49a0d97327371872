"""A person's match: the choices before it, and the legal moves with the labels of their buttons."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from engine.game import BadTable, Game
from records.match.loaded_match import LoadedMatch
from records.match.session import is_won, match_of
from records.page.words import TableText

Translate = Callable[[str], str]

OPTION_VALUES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "attackers all": "everybody",
        "attackers neighbours": "the neighbours",
        "first_attacker lowest_trump": "who has the lowest trump",
        "first_attacker dealer_left": "who sits left of the dealer",
        "trumps turned": "a card is turned up",
        "trumps fixed": "diamonds, and spades as anti-trumps",
        "layout dealt": "as dealt",
        "layout besikovich": "Besikovich: open hands",
        "pickup modern": "three cards, five or the pile",
        "pickup whole_pile": "always the whole pile",
    }
)
"""What the values of options mean to people, in English; the catalogues translate it."""
LEVELS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "random": "beginner: any legal move",
        "greedy": "player: simple tactics",
        "search-100ms": "expert: searches for a tenth of a second",
        "search": "master: searches for a second",
    }
)
"""How strong house bots are, by name, in ascending order; the catalogues translate it."""


class OptionChoice(NamedTuple):
    """An option of a game that a person can choose, with its values and their labels."""

    name: str
    label: str
    values: Sequence[tuple[str, str]]
    usual: str
    """The label of the value that the table has if nothing is chosen."""


class MoveButton(NamedTuple):
    """A legal move and the label of its button."""

    move: str
    label: str


class OwnResults(NamedTuple):
    """How a person's matches of a game against the same opponents ended."""

    game: str
    levels: str
    """The names of the opponents, each once."""
    hints: bool
    """Whether the person got hints."""
    played: int
    won: int
    points: int


def own_results(matches: Sequence[Mapping[str, Any]], person: str) -> list[OwnResults]:
    """Return the results of the person with this id in finished matches against bots, by game, opponents, and whether
    there were hints."""
    found: dict[tuple[str, str, bool], OwnResults] = {}
    for match in matches:
        places, ids = match["places"], [seat and seat["id"] for seat in match["seats"]]
        friends = sum("person" in seat for seat in match["seats"] if seat) > 1
        if not places or match["void"] or person not in ids or friends:
            continue
        own = ids.index(person)
        others = {seat["bot"].partition("/")[2] for seat in match["seats"] if seat and seat["id"] != person}
        key = match["game"], ", ".join(sorted(others)), "hints" in match
        was = found.get(key, OwnResults(*key, 0, 0, 0))
        found[key] = was._replace(
            played=was.played + 1,
            won=was.won + is_won(places[own]),
            points=was.points + match["scores"][own],
        )
    return sorted(found.values())


def option_choices(game: type[Game], seats: int, translate: Translate) -> Iterator[OptionChoice]:
    """Yield the options with a choice between a few values at a table with this many seats."""
    usual = game.table(seats, {}).options
    for name, schema in game.option_schemas.items():
        values = [True, False] if schema["type"] == "boolean" else schema.get("enum", [])
        possible = [value for value in values if _fits(game, seats, {name: value})]
        if len(possible) > 1:
            labels = [(option_text(value), _label(name, value, translate)) for value in possible]
            yield OptionChoice(name, translate(schema["title"]), labels, _label(name, usual[name], translate))


def chosen_options(game: type[Game], fields: Mapping[str, str]) -> dict[str, Any]:
    """Return the options that a form chose; an empty field stands for the default. Raise `BadTable`."""
    options: dict[str, Any] = {}
    for name, schema in game.option_schemas.items():
        text = fields.get(f"option-{name}", "")
        if text and schema["type"] == "boolean":
            if text not in ("true", "false"):
                raise BadTable(name, text, "true or false")
            options[name] = text == "true"
        elif text and "enum" in schema:
            options[name] = text
    return options


def option_text(value: object) -> str:
    """Return the text of an option's value in a form."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def level_text(name: str, translate: Translate) -> str:
    """Return the label of a house bot."""
    return f"{translate(LEVELS[name])} ({name})" if name in LEVELS else name


def by_strength(names: Sequence[str]) -> list[str]:
    """Return the names of house bots, the weakest first and unknown ones last."""
    order = list(LEVELS)
    return sorted(names, key=lambda name: (order.index(name) if name in order else len(order), name))


def move_buttons(
    loaded: LoadedMatch, seat: int, text: TableText
) -> tuple[list[MoveButton], list[MoveButton]]:
    """Return the legal answers and the free moves of a seat."""
    if loaded.state is None or loaded.finished:
        return [], []
    rules = match_of(loaded.config, loaded.progress.first_dealer or 0)
    found = (rules.legal_texts(loaded.state, seat), rules.free_texts(loaded.state, seat))
    legal, free = ([MoveButton(move, text.move(move, seat)) for move in moves] for moves in found)
    return legal, free


def _label(name: str, value: object, translate: Translate) -> str:
    if isinstance(value, bool):
        return translate("yes" if value else "no")
    known = OPTION_VALUES.get(f"{name} {value}")
    return str(value) if known is None else translate(known)


def _fits(game: type[Game], seats: int, options: Mapping[str, Any]) -> bool:
    try:
        game.table(seats, dict(options))
    except BadTable:
        return False
    return True
