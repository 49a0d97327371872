"""`/llms.txt` and the skill file name only what exists."""

from __future__ import annotations

import re

import yaml

from api.llms import SKILL
from engine.registry import GAMES
from kozyr.mcp.definitions import DEFAULT_PACE, TOOLS
from records.match.assist import factored
from records.match.clock import PACES
from records.words.phrases import PHRASES
from records.words.turn import move_lines
from tests.api.conftest import ApiWorld
from tests.support.tokens import estimated_tokens


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


def test_the_skill_file_has_the_form_that_agents_read(world: ApiWorld) -> None:
    response = world.client.get("/skills/kozyr/SKILL.md")
    assert (response.status_code, response.mimetype) == (200, "text/markdown")
    _, head, body = response.text.split("---\n", 2)
    described = yaml.safe_load(head)
    assert described["name"] == SKILL.parent.name
    assert 0 < len(described["description"]) <= 1024
    assert all(
        game.title["en"].removeprefix("Podkidnoy ") in described["description"] for game in GAMES.values()
    )
    assert estimated_tokens(body) <= 1200


def test_the_skill_file_names_the_tools_the_paces_and_the_routes(world: ApiWorld) -> None:
    text = SKILL.read_text(encoding="utf-8")
    assert all(f"`{tool['name']}`" in text for tool in TOOLS)
    seconds = {"1 day": 86_400}
    rows = re.findall(r"^\| `(\w+)` \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$", text, re.MULTILINE)
    told = {
        name: [1000 * (seconds.get(part) or int(part.removesuffix(" s"))) for part in (move, bank)]
        for name, move, bank, _ in rows
    }
    assert told == {name: [pace.clock.move_ms, pace.clock.bank_ms] for name, pace in PACES.items()}
    assert [name for name, *_, note in rows if "default of the tools" in note] == [DEFAULT_PACE]
    moves = [f"beat {one} {other}" for one in ("6C", "7D", "8D", "9D") for other in ("TC", "AC", "KC", "QC")]
    assert f"`{move_lines('en', factored(moves))[0]}`" in text
    assert "Match … is over" in text
    assert PHRASES["en"]["over"].startswith("Match {match} is over")
    for path in re.findall(r"`(/[a-z.-]+)`", text):
        assert world.client.get(path).status_code == 200, path
