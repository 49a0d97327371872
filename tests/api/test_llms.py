"""`/llms.txt` names only what exists."""

from __future__ import annotations

import re

from engine.registry import GAMES
from tests.api.conftest import ApiWorld


def test_the_page_names_every_game_and_only_routes_that_exist(world: ApiWorld) -> None:
    response = world.client.get("/llms.txt")
    assert (response.status_code, response.mimetype) == (200, "text/markdown")
    assert all(f"`{game}`" in response.text for game in GAMES)
    assert 'A move of `observation.free_moves` goes with `"deal"` in place of `"turn"`.' in response.text
    links = re.findall(r"\]\(([^)]*)\)", response.text)
    assert len(links) > 5
    for link in links:
        assert world.client.get(f"/{link}").status_code == 200, link
    rules = {(method, str(rule)) for rule in world.app.url_map.iter_rules() for method in rule.methods or ()}
    for method, path in re.findall(r"`(GET|POST) (/v1/[a-z/]+)`", response.text):
        assert (method, path) in rules
