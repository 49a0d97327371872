"""Every registered game has a rules page in each language, with the same points and terms.

Its example deal can be replayed.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from engine.game import NOBODY
from engine.match import parse_deck
from engine.registry import GAMES

RULES = Path(__file__).parents[2] / "docs" / "rules"
LANGUAGES = ("en", "ru")
PAGES = [(game, language) for game in GAMES for language in LANGUAGES]


def page(game: str, language: str) -> str:
    path = RULES / f"{game}.{language}.md"
    assert path.exists(), f"docs/rules/{path.name} is missing"
    return path.read_text(encoding="utf-8")


def examples(text: str) -> list[list[str]]:
    """Return the lines of each fenced block that begins with a JSON table, without comments and empty lines."""
    blocks = re.findall(r"^```\w*\n(\{.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
    return [[line for line in block.split("\n") if line and not line.startswith("#")] for block in blocks]


@pytest.mark.parametrize(("game", "language"), PAGES)
def test_the_example_deal_of_a_rules_page_can_be_replayed(game: str, language: str) -> None:
    found = examples(page(game, language))
    assert found, "no example: a fenced block of table, deck, moves and result"
    for table, deck, *moves, result in found:
        given = json.loads(table)
        assert given["game"] == game
        rules = GAMES[game].table(given["seats"], given["options"])
        state = rules.deal(given.get("deal", 1), given["dealer"], parse_deck(deck))
        for line in moves:
            seat, text = line.split(": ")
            state = rules.play(state, int(seat), rules.parse(state, int(seat), text))
        assert state.to_move == NOBODY
        assert result.startswith("result")
        assert tuple(map(int, re.findall(r"-?\d+", result))) == rules.returns(state)


@pytest.mark.parametrize("game", GAMES)
def test_all_languages_have_the_same_example(game: str) -> None:
    assert len({json.dumps(examples(page(game, language))) for language in LANGUAGES}) == 1


def outline(text: str) -> list[str]:
    """Return the skeleton of a page: its numbered headings, numbered points, table rows and bullets, in order."""
    marks = re.findall(
        r"^(?:#+ |\*\*)?\d+\.(?:\d+)? |^#+ |^\|(?= )|^- ", text.split("```", 1)[0], flags=re.MULTILINE
    )
    return [mark.strip() for mark in marks]


def form(move: str) -> tuple[str, int]:
    """Return the verb of a move and the number of cards or words after it."""
    verb, *rest = move.split(" ")
    return verb, len(rest)


def code_by_section(text: str) -> list[set[str]]:
    """Return the code terms (moves, options, values, cards) of each section."""
    sections = re.split(r"^## ", text.split("```", 1)[0], flags=re.MULTILINE)
    return [set(re.findall(r"`([^`]+)`", section)) for section in sections]


@pytest.mark.parametrize("game", GAMES)
def test_all_languages_have_the_same_sections_points_and_tables(game: str) -> None:
    english, russian = (outline(page(game, language)) for language in LANGUAGES)
    assert len(english) > 20
    assert russian == english


@pytest.mark.parametrize("game", GAMES)
def test_all_languages_mark_the_same_number_of_settled_points_in_each_section(game: str) -> None:
    english, russian = (
        [len(re.findall(r"\(\*[:)]", section)) for section in page(game, language).split("\n## ")]
        for language in LANGUAGES
    )
    assert sum(english) > 3
    assert russian == english


@pytest.mark.parametrize("game", GAMES)
def test_all_languages_name_the_same_moves_options_and_cards_in_each_section(game: str) -> None:
    english, russian = (code_by_section(page(game, language)) for language in LANGUAGES)
    assert any(len(terms) > 3 for terms in english)
    assert russian == english


@pytest.mark.parametrize(("game", "language"), PAGES)
def test_a_rules_page_explains_every_verb_and_every_form_of_a_move_in_its_example(
    game: str, language: str
) -> None:
    text = page(game, language)
    explained = {form(term) for terms in code_by_section(text) for term in terms}
    played = {form(line.split(": ")[1]) for example in examples(text) for line in example[2:-1]}
    assert played <= explained
    assert set(GAMES[game].verbs) <= {verb for verb, _ in explained}


@pytest.mark.parametrize(("game", "language"), PAGES)
def test_a_rules_page_names_every_option_and_its_values(game: str, language: str) -> None:
    text = page(game, language)
    for name, schema in GAMES[game].option_schemas.items():
        assert f"`{name}`" in text
        values = schema.get("enum", [])
        for value in values if len(values) <= 4 else (values[0], values[-1]):
            assert f"`{value}`" in text, f"{name}: {value}"


@pytest.mark.parametrize(("game", "language"), PAGES)
def test_a_rules_page_has_a_title_and_numbered_sections(game: str, language: str) -> None:
    text = page(game, language)
    assert text.startswith(f"# {GAMES[game].title[language]}")
    numbers = [int(number) for number in re.findall(r"^## (\d+)\. ", text, flags=re.MULTILINE)]
    assert numbers == list(range(1, len(numbers) + 1))
    assert len(numbers) >= 3
