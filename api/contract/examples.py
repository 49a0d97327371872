"""An example of every request and response body, by component.

Observations come from the rules themselves, so they can't become outdated.
"""

from __future__ import annotations

from typing import Any, Final

from engine.match import Match, deck_text
from engine.registry import GAMES
from league.accounts.model import MatchPolicy
from referee.match.clock import ClockRule
from referee.timings import RefereeTimings

_KEY: Final = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
_ID: Final = "17hq3x9m4c7t2k5w8n6v3p9d4f7a"
_BOT: Final = {"bot": "example/fool", "id": "bq3x9m4c7t2k5w8n6", "version": "1.2"}
_HOUSE: Final = {"bot": "house/greedy", "id": "house-greedy", "version": "1"}
_THEN, _NOW, _SOON = "2026-11-21T18:00:00.000Z", "2026-11-21T18:00:02.250Z", "2026-11-21T18:00:37.000Z"
_CLOCK: Final = ClockRule().to_json()
_TOKEN: Final = "kozyr_" + "a2b3c4d5e6f7g8h9j2k3m4n5p6q7r8s9"
_CURSOR: Final = "3q2-7wAAAAAAAAAAAAAAAQ"


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
    shared = {
        "id": _ID,
        "game": game,
        "options": dict(rules.options),
        "preset": f"{game}/2",
        "rules": f"{game}-{GAMES[game].rules_version}",
        "deals": 1,
    }
    summary = {
        **shared,
        "deal": 1,
        "seats": [_BOT, _HOUSE],
        "clock": _CLOCK,
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
    }
    seen = {
        **summary,
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
    record = {
        "format": 1,
        **shared,
        "dealer": 0,
        "seats": [_BOT, _HOUSE],
        "clock": _CLOCK,
        "rated": False,
        "ladder": None,
        "group": None,
        "started": _THEN,
        "ended": _NOW,
        "moves": [
            {"seat": None, "move": deck_text(deck)},
            {"seat": seat, "move": move, "ms": 12},
            {"seat": 1 - seat, "move": "take", "ms": 35000, "by": "timeout"},
        ],
        "scores": [0, -1],
        "places": [1, 2],
        "forfeits": [],
        "ending": "rules",
        "shuffle": {
            "algorithm": "kozyr-shuffle-1",
            "commitment": "9f" * 32,
            "secret": "5a" * 32,
            "entropy": [None, None],
            "dealer": "given",
        },
        "proof": {
            "number": 17,
            "previous": "3c" * 32,
            "link": "7d" * 32,
            "key": _KEY,
            "signature": "e1" * 64,
        },
    }
    return {**_ACCOUNTS, **_WEBHOOKS, **_CHECKS, **_LADDERS, **_RATINGS, **_SERVICE, **_ADMIN} | {
        "Move": {"turn": 1, "move": move},
        "MoveBatch": {"moves": [{"match": _ID, "turn": 1, "move": move}], "wait": 25, "since": _CURSOR},
        "NewMatch": {"game": game, "seats": ["example/fool", "house/greedy"], "deals": 1},
        "JoinQueue": {"game": game, "rating_band": 200},
        "QueueEntry": _QUEUE_ENTRY | {name: shared[name] for name in ("game", "options", "preset", "deals")},
        "Bulk": {"matches": [{"game": game, "seats": ["example/fool", "house/greedy"]}]},
        "CreatedMatches": {"matches": [_ID]},
        "NewGroup": {"game": game, "bots": ["example/fool", "house/greedy"]},
        "Join": {"seat": 1},
        "TurnList": {"turns": [turn], "finished": [finished], "since": _CURSOR, "service": "running"},
        "MoveResults": {
            "results": [moved],
            "turns": [turn],
            "finished": [],
            "since": _CURSOR,
            "service": "running",
        },
        "MoveResultAndTurns": {**moved, "next": {**turn, "turn": 3}, "finished": None, "service": "running"},
        "Match": seen,
        "MatchPage": {"matches": [summary], "cursor": None},
        "MatchEvent": {"n": 6, "type": "move", "seat": seat, "move": move, "ms": 12, "turn": 1},
        "FrameList": {
            "frames": [
                {
                    "n": 2,
                    "events": [{"n": 2, "type": "deal", "deal": 1, "dealer": 0}],
                    "observation": {"game": game, "deal": 1, "hand_sizes": [6, 6]},
                },
                {
                    "n": 3,
                    "events": [{"n": 3, "type": "move", "seat": seat, "turn": 1, "move": move, "ms": 12}],
                    "changes": {"hand_sizes": [5, 6]},
                },
            ],
            "seat": seat,
            "over": False,
        },
        "Events": {
            "events": [{"n": 6, "type": "move", "seat": seat, "move": move, "ms": 12, "turn": 1}],
            "over": False,
        },
        "MatchRecord": record,
        "GameList": {"games": [_game(game)]},
        "Game": {
            **_game(game),
            "options": {
                "type": "object",
                "properties": {name: dict(schema) for name, schema in GAMES[game].option_schemas.items()},
            },
            "safe_move": GAMES[game].safe_move_text,
            "free_moves": sorted(GAMES[game].free_move_texts),
            "language": "en",
            "rules_text": "# The rules\n…",
        },
    }


def _game(game: str) -> dict[str, Any]:
    found = GAMES[game]
    return {
        "id": game,
        "title": dict(found.title),
        "rules": f"{game}-{found.rules_version}",
        "seats": list(found.seat_counts),
        "deals": {"fixed": found.fixed_deals, "most": found.fixed_deals or 1000},
    }


_QUEUE_ENTRY: Final = {
    "id": _ID,
    "state": "waiting",
    "reason": None,
    "match": None,
    "seats": 2,
    "clock": _CLOCK,
    "rating": 1512.5,
    "rating_band": 200,
    "band_growth": 20,
    "joined": _THEN,
    "ended": None,
}
_A_BOT: Final = {
    "id": _BOT["id"],
    "bot": "example/fool",
    "owner": "example",
    "name": "fool",
    "version": "1.2",
    "description": "Attacks with its lowest card",
    "created": _THEN,
    "match_policy": MatchPolicy(excluded_owners=("nuisance",)).to_json(),
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
_ABOUT: Final = {
    "id": "tk5w8n6v3p9d4f7a2",
    "kind": "bot",
    "name": "example/fool",
    "scopes": ["challenge", "play", "read"],
    "created": _THEN,
    "expires": None,
    "note": "",
}
_ACCOUNTS: Final[dict[str, Any]] = {
    "NewOwner": {"name": "example"},
    "Owner": _OWNER,
    "CreatedOwner": {"owner": _OWNER, "token": _TOKEN},
    "Me": {"owner": _OWNER, "bots": [_A_BOT]},
    "NewBot": {"name": "fool", "version": "1.2", "description": "Attacks with its lowest card"},
    "CreatedBot": {"bot": _A_BOT, "token": _TOKEN},
    "BotChange": {"version": "1.3"},
    "Bot": _A_BOT,
    "BotPage": {"bots": [_A_BOT], "cursor": None},
    "NewToken": {"bot": "fool", "scopes": ["play"], "note": "the old laptop"},
    "CreatedToken": {"details": _ABOUT, "token": _TOKEN},
    "Rotate": {"overlap_s": 3600},
    "Token": _ABOUT,
    "TokenList": {"tokens": [_ABOUT]},
}
_WEBHOOK: Final = {
    "id": "wx9m4c7t2k5w8n6v3",
    "url": "https://hooks.example.com/kozyr",
    "events": ["match.finished", "round.finished"],
    "format": "standard",
    "enabled": True,
    "created": _THEN,
}
_DELIVERY: Final = {
    "id": "msg_hq3x9m4c7t2k5w8n6v3p9d4f7a",
    "type": "round.finished",
    "created": _THEN,
    "state": "delivered",
    "body": '{"type":"round.finished","timestamp":"2026-11-21T18:00:00.000Z","data":{}}',
    "attempts": [
        {"at": _THEN, "status": 503, "error": "the receiver answered 503", "ms": 41},
        {"at": _NOW, "status": 204, "error": "", "ms": 38},
    ],
}
_WEBHOOKS: Final[dict[str, Any]] = {
    "NewWebhook": {"url": _WEBHOOK["url"], "events": _WEBHOOK["events"]},
    "WebhookChange": {"enabled": False},
    "Webhook": _WEBHOOK,
    "CreatedWebhook": {"webhook": _WEBHOOK, "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo="},
    "WebhookList": {"webhooks": [_WEBHOOK]},
    "Delivery": _DELIVERY,
    "DeliveryList": {"deliveries": [_DELIVERY]},
    "SentMessage": {"id": _DELIVERY["id"]},
}
_LINE: Final = {
    "id": "1795284002250-0",
    "at": _NOW,
    "token": "admin",
    "owner": "admin",
    "action": "void",
    "target": f"match {_ID}",
    "reason": "collusion",
    "before": {"status": "finished", "ending": "rules", "void": False},
    "after": {"status": "finished", "ending": "rules", "void": True},
    "outcome": "done",
}
_ADMIN: Final[dict[str, Any]] = {
    "OptionalReason": {"reason": "a new version"},
    "RequiredReason": {"reason": "collusion"},
    "LadderStateChange": {"state": "paused", "reason": "a broken clock"},
    "NewAdmin": {"name": "ann", "note": "her laptop"},
    "Invitation": {"expires_in_s": 86400, "reason": "the class of 2027"},
    "CreatedInvitation": {
        "invitation": "invite_a2b3c4d5e6f7g8h9j2k3m4n5p6",
        "invitations": ["invite_a2b3c4d5e6f7g8h9j2k3m4n5p6"],
    },
    "Service": {
        "state": "draining",
        "since": _THEN,
        "reason": "a new version",
        "matches": {"running": 2, "waiting": 0, "open": 1},
    },
    "AuditEntry": _LINE,
    "AuditPage": {"entries": [_LINE], "cursor": None},
}
_A_LADDER: Final = {
    "id": "lx9m4c7t2k5w8n6v3",
    "owner": "example",
    "name": "Every five minutes",
    "game": "durak",
    "options": {"teams": False},
    "seats": 2,
    "deals": 1,
    "clock": _CLOCK,
    "schedule": {"cron": "*/5 * * * *", "timezone": "Europe/Moscow"},
    "season": 1,
    "season_schedule": None,
    "repeats": 2,
    "rated": True,
    "check": True,
    "decks": "rotated",
    "format": "round_robin",
    "parameters": {},
    "state": "running",
    "access": "open",
    "created": _THEN,
}
_GROUP: Final = {
    "id": "g7k2mwd4xqz5a9c3vbn6t8y2pqr",
    "kind": "rotated",
    "game": "durak",
    "options": {"teams": False},
    "preset": "durak/2",
    "clock": _CLOCK,
    "ladder": None,
    "round": None,
    "status": "over",
    "created": _THEN,
    "ended": _THEN,
    "matches": [_ID, _ID[:-1] + "3"],
    "result": {
        "group": "g7k2mwd4xqz5a9c3vbn6t8y2pqr",
        "preset": "durak/2",
        "ended": _THEN,
        "deals": 2,
        "bots": [
            {
                "bot": name,
                "id": ident,
                "version": "1",
                "points": points,
                "deals": 2,
                "points_per_deal": points / 2,
                "advantage": advantage,
                "forfeits": 0,
            }
            for name, ident, points, advantage in (
                ("example/fool", "b7k2mwd4xqz5a9c3", -2, -0.5),
                ("house/greedy", "house-greedy", 0, 0.5),
            )
        ],
    },
}
_ENTRY: Final = {
    "bot": "example/fool",
    "id": _BOT["id"],
    "entered": _THEN,
    "entropy": True,
    "withdrawn": None,
}
_A_ROUND: Final = {
    "ladder": _A_LADDER["id"],
    "number": 1,
    "season": 1,
    "state": "running",
    "reason": None,
    "due": _THEN,
    "started": _THEN,
    "ended": None,
    "bots": ["example/fool", "house/greedy"],
    "repeats": 2,
    "excluded": 0,
    "planned": 2,
    "handled": 2,
    "remaining": 0,
    "finished": 1,
    "played": 1,
    "aborted": 0,
    "dropped": 0,
    "jobs_ahead": None,
}
_A_SEASON: Final = {
    "ladder": _A_LADDER["id"],
    "number": 1,
    "started": _THEN,
    "ended": _NOW,
    "first_round": 1,
    "last_round": 288,
    "complete": True,
    "winners": [{"bot": "example/fool", "id": _BOT["id"]}],
}
_SUMS: Final = {
    "matches": 4,
    "groups": 2,
    "deals": 4,
    "points": -1,
    "points_per_deal": -0.25,
    "points_low": -3.426551,
    "points_high": 2.926551,
}
_RATING: Final = {
    "rating": 1612.3,
    "low": 1531.6,
    "high": 1693.1,
    "mu": 1612.345611,
    "sigma": 41.203311,
    "groups": 30,
    "version": "1.2",
    "anchor": False,
}
_PRESET: Final = {"preset": "durak/2", "id": "e1076b8dd53c68c9"}
_PAST: Final = {"group": "g2k5w8n6v3p9d4f7a", "ended": _NOW, **_RATING}
_VERSION: Final = {
    "version": "1.2",
    "groups": 40,
    "first_ended": _THEN,
    "last_ended": _NOW,
    "rating": _RATING,
}
_RATINGS: Final[dict[str, Any]] = {
    "Rating": _RATING,
    "Preset": _PRESET,
    "PresetList": {"presets": [_PRESET]},
    "RatedBot": {"bot": "example/fool", "id": _BOT["id"], **_RATING},
    "RatingPage": {"ratings": [{"bot": "example/fool", "id": _BOT["id"], **_RATING}], "cursor": _CURSOR},
    "BotRatings": {"bot": "example/fool", "id": _BOT["id"], "ratings": [{**_PRESET, "rating": _RATING}]},
    "HeadToHead": {
        "bot": "example/fool",
        "opponent": "house/greedy",
        "preset": "durak/2",
        "groups": 10,
        "wins": 4,
        "ties": 4,
        "losses": 2,
        "share": 0.6,
        "low": 0.3127,
        "high": 0.8318,
    },
    "VersionRating": _VERSION,
    "VersionRatingList": {"versions": [_VERSION]},
    "PastRating": _PAST,
    "RatingHistory": {"history": [_PAST], "cursor": None},
}
_CHECKS: Final[dict[str, Any]] = {
    "NewCheck": {"game": "durak"},
    "Fault": "answer_lost",
    "BotStatistics": {
        "bot": "example/fool",
        "id": _BOT["id"],
        "since": "2026-11-15T00:00:00.000Z",
        "matches": 12,
        "moves": 180,
        "replayed_moves": 1,
        "timeouts": 2,
        "forfeits": 0,
        "no_shows": 0,
        "resigned": 1,
        "refused": {"illegal_move": 3, "stale_turn": 1},
        "thinking": [
            {
                "game": "durak",
                "clock": {"move_ms": 5000, "bank_ms": 30000, "increment_ms": 0},
                "moves": 178,
                "p50_ms": 135,
                "p90_ms": 543,
                "p99_ms": 1663,
                "max_ms": 1702,
            }
        ],
    },
    "NewReview": {"effort": "standard"},
    "Review": {
        "match": _ID,
        "effort": "standard",
        "state": "running",
        "requested": _THEN,
        "finished": None,
        "done": 1,
        "total": 43,
        "truncated": False,
        "failure": None,
        "mistakes": 1,
        "moves": [
            {
                "deal": 1,
                "move": 3,
                "seat": 0,
                "played": "take",
                "best": "beat 9C 6H",
                "regret": 0.42,
                "low": 0.18,
                "high": 0.66,
                "mistake": True,
                "worlds": 96,
            }
        ],
    },
    "BotHealth": {
        "bot": "example/fool",
        "passed": {"check": _ID, "version": "1.2", "ended": _NOW},
        "suspended": None,
    },
    "Check": {
        "match": _ID,
        "bot": _BOT["id"],
        "version": "1.2",
        "game": "durak",
        "status": "failed",
        "created": _THEN,
        "ended": _NOW,
        "faults_met": [{"fault": "move_refused", "turn": 3, "move": "attack 7H"}],
        "faults_left": [],
        "moves": {"made": 31, "replayed": 2, "refused": 0},
        "reasons": ["the move of turn 3 was refused with a 503 and `retryable`, and was not sent again"],
    },
}
_RULE: Final = {"name": "nuisance", "rule": "banned", "reason": "collusion"}
_LADDERS: Final[dict[str, Any]] = {
    "AccessRuleChange": _RULE,
    "AccessRule": {**_RULE, "since": _THEN},
    "AccessRuleList": {"rules": [{**_RULE, "since": _THEN}]},
    "NewLadder": {
        "name": "Every five minutes",
        "game": "durak",
        "seats": 2,
        "deals": 2,
        "repeats": 2,
        "schedule": {"cron": "*/5 * * * *", "timezone": "Europe/Moscow"},
        "state": "running",
    },
    "LadderChange": {"state": "paused"},
    "Group": _GROUP,
    "Ladder": _A_LADDER,
    "LadderPage": {"ladders": [_A_LADDER], "cursor": None},
    "Entry": {"bot": "example/fool"},
    "LadderEntry": _ENTRY,
    "LadderEntries": {"entries": [_ENTRY], "cursor": None},
    "Round": _A_ROUND,
    "NextRound": {
        "number": 2,
        "meetings": [["example/fool", "house/greedy"]],
        "sitting_out": ["example/jester"],
        "excluded": 0,
        "planned": 2,
    },
    "RoundPage": {"rounds": [_A_ROUND], "cursor": None},
    "Standings": {
        "preset": "durak/2",
        "season": 1,
        "standings": [
            {
                "place": 1,
                "bot": "example/fool",
                "id": _BOT["id"],
                "withdrawn": False,
                **_SUMS,
                "wins": 1,
                "forfeits": 0,
                "rating": _RATING,
            }
        ],
        "cursor": None,
    },
    "CrossTable": {
        "season": 1,
        "bots": [{"bot": "example/fool", "id": _BOT["id"]}, {"bot": "house/greedy", "id": "house-greedy"}],
        "cells": [
            {
                "bot": _BOT["id"],
                "opponent": "house-greedy",
                **_SUMS,
                "wins": 1,
                "ties": 2,
                "losses": 1,
                "win_share": 0.25,
                "tie_share": 0.5,
                "loss_share": 0.25,
            }
        ],
        "cursor": _CURSOR,
    },
    "Bracket": {
        "ladder": _A_LADDER["id"],
        "season": 1,
        "stages": [
            {
                "meetings": [
                    {
                        "decided": True,
                        "groups": 1,
                        "advance": 1,
                        "bots": [
                            {"bot": "example/fool", "id": _BOT["id"], "points": 1, "advances": True},
                            {"bot": "house/greedy", "id": "house-greedy", "points": 0, "advances": False},
                        ],
                    }
                ],
                "byes": [],
            }
        ],
        "winner": {"bot": "example/fool", "id": _BOT["id"]},
        "excluded": 0,
    },
    "Season": _A_SEASON,
    "SeasonPage": {"seasons": [_A_SEASON], "cursor": None},
    "LadderForecast": {
        "schedule": {"cron": "*/5 * * * *", "timezone": "Europe/Moscow"},
        "waits_for": "instant",
        "next_rounds": ["2026-11-21T18:05:00.000Z"],
        "next_look": None,
        "running": [],
        "jobs_ahead": None,
        "season_schedule": None,
        "next_seasons": [],
    },
}
_SERVICE: Final[dict[str, Any]] = {
    "DumpList": {
        "license": "CC0-1.0",
        "dumps": [
            {
                "month": "2026-10",
                "made": "2026-12-01T00:03:17.204Z",
                "matches": 10000,
                "decisions": 1073000,
                "late": 12,
                "files": [
                    {
                        "name": "decisions-2026-10.parquet",
                        "href": "/v1/dumps/2026-10/decisions-2026-10.parquet",
                        "kind": "decisions",
                        "size": 31457280,
                        "sha256": _KEY,
                        "rows": 1073000,
                    }
                ],
            }
        ],
    },
    "Keys": {
        "algorithm": "Ed25519",
        "keys": [{"key": _KEY, "pem": "-----BEGIN PUBLIC KEY-----\n…", "since": 0, "in_use": True}],
        "records": 17,
        "link": "7d" * 32,
    },
    "Root": {"service": "kozyr", "docs": "/docs/", "openapi": "/openapi.yaml"},
    "Health": {"status": "ok"},
    "Readiness": {
        "ready": False,
        "degraded": True,
        "service": "running",
        "parts": {"redis": True, "writes": True, "api": True, "clock": False, "worker": True},
        "problems": ["clock-4711-5fa3c1 has been silent for 8.2 s"],
        "warnings": [],
        "heartbeats": {"api-4709-90e1bb": 96, "clock-4711-5fa3c1": 8214, "worker-4712-07d2ee": 431},
        "oldest_jobs": {"kozyr": 0, "kozyr-idle": 250},
    },
    "Limits": {
        "max_wait_s": 60,
        "max_body_bytes": 262144,
        "body_timeout_s": 10,
        "max_moves": 256,
        "max_page": 200,
        "max_events": 1000,
        "max_polls": 8,
        "max_waits": 256,
        "open_registration": True,
        "start_ms": RefereeTimings().start_ms,
        "open_ms": RefereeTimings().open_ms,
        "settle_ms": RefereeTimings().settle_ms,
        "rates": {
            "requests": {"limit": 3000, "window_s": 60},
            "creations": {"limit": 600, "window_s": 60},
            "polls": {"limit": 250, "window_s": 1},
            "refused_moves": {"limit": 600, "window_s": 60},
            "anonymous": {"limit": 1200, "window_s": 60},
            "registrations": {"limit": 300, "window_s": 3600},
            "bad_tokens": {"limit": 120, "window_s": 60},
            "pages": {"limit": 6000, "window_s": 60},
            "probes": {"limit": 30_000, "window_s": 60},
        },
        "version": "0.1.0",
    },
}
