"""`/llms.txt` names only what exists."""

from __future__ import annotations

import re

from engine.registry import GAMES
from tests.api.conftest import ApiWorld


def test_the_page_names_every_game_and_only_routes_that_exist(world: ApiWorld) -> None:
    said = world.client.get("/llms.txt")
    assert (said.status_code, said.mimetype) == (200, "text/markdown")
    assert all(f"`{game}`" in said.text for game in GAMES)
    links = re.findall(r"\]\((/[^)]*)\)", said.text)
    assert len(links) > 5
    for link in links:
        assert world.client.get(link).status_code == 200, link
    rules = {(method, str(rule)) for rule in world.app.url_map.iter_rules() for method in rule.methods or ()}
    for method, path in re.findall(r"`(GET|POST) (/v1/[a-z/]+)`", said.text):
        assert (method, path) in rules
