"""Examples of the bodies on a bot's way from registration to its moves, by component.

Observations come from the rules themselves, so they can't become outdated. A reader of the document sees the other
bodies by the examples of their fields.
"""

from __future__ import annotations

from typing import Any, Final

from engine.match import Match
from engine.registry import GAMES
from league.accounts.model import MatchPolicy
from records.match.clock import ClockRule

_ID: Final = "17hq3x9m4c7t2k5w8n6v3p9d4f7a"
_BOT: Final = {"bot": "example/fool", "id": "bq3x9m4c7t2k5w8n6", "version": "1.2"}
_HOUSE: Final = {"bot": "house/greedy", "id": "house-greedy", "version": "1"}
_THEN, _NOW, _SOON = "2026-11-21T18:00:00.000Z", "2026-11-21T18:00:02.250Z", "2026-11-21T18:00:37.000Z"
_TOKEN: Final = "kozyr_" + "a2b3c4d5e6f7g8h9j2k3m4n5p6q7r8s9"
_CURSOR: Final = "3q2-7wAAAAAAAAAAAAAAAQ"
_A_BOT: Final = {
    "id": _BOT["id"],
    "bot": "example/fool",
    "owner": "example",
    "name": "fool",
    "version": "1.2",
    "description": "Attacks with its lowest card",
    "created": _THEN,
    "match_policy": MatchPolicy(excluded_owners=("nuisance",)).to_json(),
    "agent": {"model": "opus-5", "provider": "example", "harness": "my-loop", "effort": "high"},
    "disabled": False,
    "disabled_reason": None,
    "house": False,
}
_OWNER: Final = {
    "id": "om4c7t2k5w8n6v3p9",
    "name": "example",
    "created": _THEN,
    "disabled": False,
    "reason": "",
}


def examples() -> dict[str, Any]:
    """Return the examples by component."""
    game = "durak" if "durak" in GAMES else next(iter(GAMES))
    rules = GAMES[game].table(2, {})
    match = Match(rules)
    deck = [*rules.pack[5::6], *rules.pack[3::6], *rules.pack[1::6], *rules.pack[::2]]
    begun = match.deal(match.begin(), deck)
    seat = begun.to_move
    observation = match.view(begun, seat)
    move = observation["legal_moves"][0]
    turn = {
        "match": _ID,
        "turn": 1,
        "deal": 1,
        "seat": seat,
        "observation": observation,
        "clocks": [{"bank_ms": 30000, "strikes": 0}] * 2,
        "deadline": _SOON,
        "now": _NOW,
    }
    finished = {
        "match": _ID,
        "seat": seat,
        "ending": "rules",
        "scores": [0, -1],
        "places": [1, 2],
        "forfeits": [],
        "ended": _NOW,
    }
    moved = {
        "match": _ID,
        "seat": seat,
        "turn": 1,
        "move": move,
        "ms": 12,
        "charged_ms": 0,
        "replayed": False,
    }
    seen = {
        "id": _ID,
        "game": game,
        "options": dict(rules.options),
        "preset": f"{game}/2",
        "assist": "list",
        "rules": f"{game}-{GAMES[game].rules_version}",
        "deals": 1,
        "deal": 1,
        "seats": [_BOT, _HOUSE],
        "clock": ClockRule().to_json(),
        "rated": False,
        "ladder": None,
        "round": None,
        "status": "running",
        "ending": None,
        "void": False,
        "created": _THEN,
        "started": _THEN,
        "ended": None,
        "scores": [0, 0],
        "places": None,
        "forfeits": [],
        "entropy": [False, False],
        "commitment": "9f" * 32,
        "clocks": turn["clocks"],
        "seat": seat,
        "now": _NOW,
        "turn": 1,
        "to_move": seat,
        "deadline": _SOON,
        "observation": observation,
    }
    return {
        "NewOwner": {"name": "example"},
        "CreatedOwner": {"owner": _OWNER, "token": _TOKEN},
        "NewBot": {"name": "fool", "version": "1.2", "description": "Attacks with its lowest card"},
        "Bot": _A_BOT,
        "CreatedBot": {"bot": _A_BOT, "token": _TOKEN},
        "NewMatch": {"game": game, "seats": ["example/fool", "house/greedy"], "deals": 1},
        "Match": seen,
        "Move": {"turn": 1, "move": move},
        "MoveBatch": {"moves": [{"match": _ID, "turn": 1, "move": move}], "wait": 25, "since": _CURSOR},
        "TurnList": {"turns": [turn], "finished": [finished], "since": _CURSOR, "service": "running"},
        "MoveResults": {
            "results": [moved],
            "turns": [turn],
            "finished": [],
            "since": _CURSOR,
            "service": "running",
        },
        "MoveResultAndTurns": {**moved, "next": {**turn, "turn": 3}, "finished": None, "service": "running"},
    }
