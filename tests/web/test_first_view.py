"""What a browser loads for the first view of a page: less than 100 KB compressed."""

from __future__ import annotations

import gzip
from urllib.parse import urlencode

import pytest

from engine.registry import GAMES
from tests.api.conftest import ApiWorld
from tests.web.conftest import Elements, Played, Visitor
from tests.web.test_match import a_match, data_of, play

MOST_BYTES = 100_000
LOADED = {"stylesheet", "icon", "modulepreload"}


def loaded(visitor: Visitor, address: str) -> int:
    """Return the size of what an address sends to a browser that accepts gzip."""
    found = visitor.get(address, headers={"Accept-Encoding": "gzip", "Accept": "*/*"})
    assert found.status_code == 200, address
    return len(found.data)


def first_view(visitor: Visitor, path: str) -> int:
    """Return the bytes of a page, its style sheets, scripts and icons, and the frames of its card table."""
    headers = {"Accept-Encoding": "gzip", "Accept": "text/html"}
    page = visitor.get(path, headers=headers)
    text = gzip.decompress(page.data).decode() if "Content-Encoding" in page.headers else page.text
    size = len(page.data)
    for tag, attributes in Elements(text).found:
        if tag == "link" and attributes.get("rel") in LOADED:
            size += loaded(visitor, str(attributes["href"]))
        elif tag == "script":
            size += loaded(visitor, str(attributes["src"]))
    if text.count("<kozyr-table") == 1 and (source := data_of(text)["source"]):
        size += loaded(visitor, f"{source}?{urlencode({'seat': 'all', 'after': 0, 'limit': 1000})}")
    return size


@pytest.mark.parametrize("language", ["en", pytest.param("ru", marks=pytest.mark.ci)])
def test_the_first_view_of_a_page_is_small(world: ApiWorld, played: Played, language: str) -> None:
    bots = [a_match(world, "king") for _ in range(7)]
    for number, (bot, match) in enumerate(bots):
        play(bot, match, 1 if number else 1000)
    ladder = f"/ladders/{played.ladder}"
    for path in (
        *("/", "/ladders", "/bots", "/bots/house/greedy", "/matches", "/dumps", "/games", "/help", "/models"),
        *("/puzzles", "/play", "/play?game=king&seats=4", "/tv", *(f"/games/{game}" for game in GAMES)),
        *(f"{ladder}{part}" for part in ("", "/cross", "/screen")),
        *(f"/matches/{match}" for match in (played.match, f"{played.match}/embed", bots[0][1])),
    ):
        visitor = Visitor(world.app.test_client(), language)
        assert first_view(visitor, path) < MOST_BYTES, path
