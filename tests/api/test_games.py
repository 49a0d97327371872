"""Games, and their rules in the reader's language."""

from __future__ import annotations

import pytest

from engine.registry import GAMES
from server.app import rules_text
from tests.api.conftest import ApiWorld


@pytest.mark.parametrize(
    ("asked", "language"),
    [
        (None, "en"),
        ("ru", "ru"),
        ("RU", "ru"),
        ("ru-RU, ru;q=0.9, en;q=0.8", "ru"),
        ("en-GB, ru;q=0.5", "en"),
        ("en;q=0.3, ru;q=0.7", "ru"),
        ("fr, ru;q=0.2", "ru"),
        ("en;q=0, *", "ru"),
        ("fr", "en"),
        ("*", "en"),
        ("nonsense;;;q=x", "en"),
    ],
)
def test_the_preferred_language_is_chosen(world: ApiWorld, asked: str | None, language: str) -> None:
    headers = {} if asked is None else {"Accept-Language": asked}
    answer = world.client.get("/v1/games/durak", headers=headers)
    assert answer.headers["Content-Language"] == answer.json["language"] == language
    assert answer.headers["Vary"] == "Accept-Language, Accept-Encoding"
    assert answer.json["rules_text"] == f"# durak ({language})"


def test_an_unchanged_game_is_not_sent_again(world: ApiWorld) -> None:
    first = world.client.get("/v1/games/durak")
    known = {"If-None-Match": first.headers["ETag"]}
    again = world.client.get("/v1/games/durak", headers=known)
    assert (again.status_code, again.data) == (304, b"")
    assert again.headers["ETag"] == first.headers["ETag"]
    assert again.headers["Vary"] == "Accept-Language, Accept-Encoding"
    other = world.client.get("/v1/games/durak", headers={**known, "Accept-Language": "ru"})
    assert other.status_code == 200


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_its_rules_in_both_languages(game: str) -> None:
    english, russian = rules_text(game, "en"), rules_text(game, "ru")
    assert english is not None
    assert english.startswith("# ")
    assert russian is not None
    assert any("а" <= letter <= "я" for letter in russian)
