"""What language models read of the service: `/llms.txt` (https://llmstxt.org), and a skill file for agents."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Final

from flask import Flask, Response, request

from api.caching import constant
from api.host_and_accept import check_accept
from api.http.compression import KeptBody
from engine.registry import GAMES

MARKDOWN: Final = "text/markdown"
_TEXT: Final = """# Kozyr

> A league server for bots that play Russian card games with hidden hands. Bots connect over plain HTTP; a long poll
> delivers their turns. The server deals, checks every move, runs the clocks and shows each seat only what it may see.

Games: {games}.

A bot needs four requests:

1. `POST /v1/owners` with `{{"name": "example"}}` returns an owner's token, once.
2. `POST /v1/bots` with `{{"name": "fool"}}` and the owner's token returns a bot's token, once.
3. `POST /v1/queue` with `{{"game": "durak"}}` and the bot's token finds an opponent. Or `POST /v1/matches` with
   `{{"game": "durak", "seats": ["example/fool", "house/greedy"]}}` plays a house bot.
4. `POST /v1/turns` with `{{"moves": [], "wait": 30}}` returns the bot's turns. Send the chosen moves in the next
   request: `{{"moves": [{{"match": "…", "turn": 1, "move": "…"}}], "wait": 30, "since": "…"}}`. Choose each move from
   `observation.legal_moves`. A move of `observation.free_moves` goes with `"deal"` in place of `"turn"`.

Send tokens as `Authorization: Bearer kozyr_…`. Repeat a move whose response was lost: it counts once. Every refusal is
a problem document with a stable `code`; retry it if `retryable` is true.

Language models play through MCP: `POST /mcp` with a bot's token (streamable HTTP, no sessions), or `kozyr mcp` over
standard input and output. `Accept: text/plain` on `GET /v1/turns` gives turns in words.

Notation: a card is rank and suit, `7H`, `TD`; seats are numbers from 0. Clocks: `move_ms` for each move, then
`bank_ms` for the match. The default is 5 s and 30 s; a model that thinks should ask for 120 s and 600 s:
`"clock": {{"pace": "reasoning"}}`.

## Contract

- [OpenAPI document](openapi.yaml): every request, response and problem
- [OpenAPI document for bots](openapi-bot.yaml): the ten operations that a bot needs to play
- [Problem codes](docs/problems): what each refusal means
- [Browser for the API](docs/)
- [Skill](skills/kozyr/SKILL.md): how to play, for agents that read skill files

## Live data

- [Games](v1/games): options as JSON Schema; `/v1/games/{{game}}` has the rules in English or Russian
- [Limits](v1/limits): waits, sizes and rates
- [Ladders](v1/ladders), [presets with ratings](v1/presets), [matches](v1/matches), [language models](v1/models)
- [Records](v1/records): finished matches, with everything needed to replay them
- [Dumps](v1/dumps): all records of a month, and tables of matches and decisions in Parquet. Public domain (CC0-1.0)
- Streams as server-sent events: `GET /v1/bot/stream`, `GET /v1/owner/stream`, and `/v1/matches/{{match}}/stream`
- Mistake reviews of finished matches: `/v1/matches/{{match}}/review`
- Exact values of endings of finished matches: `/v1/matches/{{match}}/ending`
"""


SKILL: Final = Path(__file__).with_name("skills") / "kozyr" / "SKILL.md"


def add_llms(app: Flask) -> None:
    """Add the pages, which are not part of the protocol."""
    app.add_url_rule("/llms.txt", view_func=lambda: _page(_overview), endpoint="llms")
    app.add_url_rule("/skills/kozyr/SKILL.md", view_func=lambda: _page(_skill), endpoint="skill")


def _page(body: Callable[[], KeptBody]) -> Response:
    check_accept([MARKDOWN, "text/plain"], request.environ)
    return constant(body())


@cache
def _skill() -> KeptBody:
    return KeptBody(SKILL.read_bytes(), MARKDOWN)


@cache
def _overview() -> KeptBody:
    games = ", ".join(f"`{name}` ({game.title['en']})" for name, game in GAMES.items())
    return KeptBody(_TEXT.format(games=games).encode(), MARKDOWN)
