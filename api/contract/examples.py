"""Examples of the bodies on a bot's way from registration to its moves, by component.

They come from the schemas, the rules and the views themselves, so they can't become outdated. A reader of the document
sees the other bodies by the examples of their fields.
"""

from __future__ import annotations

from typing import Any, Final

import orjson

from api.schemas.accounts import BotSchema, OwnerSchema
from api.schemas.responses import dump
from engine.registry import GAMES
from league.accounts.model import Bot, DeclaredAgent, MatchPolicy, Owner
from records.instants import ms_of
from records.match import views
from records.match.loaded_match import LoadedMatch, MoveResult
from records.match.log import BY_PLAYER, Entry
from records.match.new_match import NewMatch, drafted
from records.match.session import Ending, Seat, Status, match_of

_ID: Final = "17hq3x9m4c7t2k5w8n6v3p9d4f7a"
_THEN: Final = ms_of("2026-11-21T18:00:00.000Z")
_NOW, _SOON = _THEN + 2_250, _THEN + 37_000
_TOKEN: Final = "kozyr_" + "a2b3c4d5e6f7g8h9j2k3m4n5p6q7r8s9"
_CURSOR: Final = "3q2-7wAAAAAAAAAAAAAAAQ"
_OWNER: Final = Owner("om4c7t2k5w8n6v3p9", "example", _THEN)
_BOT: Final = Bot(
    id="bq3x9m4c7t2k5w8n6",
    owner=_OWNER.id,
    owner_name=_OWNER.name,
    name="fool",
    version="1.2",
    description="Attacks with its lowest card",
    created=_THEN,
    match_policy=MatchPolicy(excluded_owners=("nuisance",)),
    agent=DeclaredAgent("opus-5", "example", "my-loop", "high"),
)


def examples() -> dict[str, Any]:
    """Return the examples by component."""
    loaded = _match("durak" if "durak" in GAMES else next(iter(GAMES)))
    seat = loaded.progress.to_move or 0
    seen, turn = views.match_view(loaded, seat, masked=False), views.turn_view(loaded, seat)
    move = turn["observation"]["legal_moves"][0]
    moved = views.moved_view(MoveResult(_ID, seat, Entry(seat, 1, 12, 0, BY_PLAYER, move), False, None))
    over = loaded.progress._replace(
        status=Status.FINISHED, ending=Ending.RULES, scores=(0, -1), ended=_NOW, to_move=None
    )
    polled = {"since": _CURSOR, "service": "running"}
    bot = dump(BotSchema, _BOT)
    made = {
        "NewOwner": {"name": _OWNER.name},
        "CreatedOwner": {"owner": dump(OwnerSchema, _OWNER), "token": _TOKEN},
        "NewBot": {name: bot[name] for name in ("name", "version", "description")},
        "Bot": bot,
        "CreatedBot": {"bot": bot, "token": _TOKEN},
        "NewMatch": {"game": loaded.config.game, "seats": ["example/fool", "house/greedy"], "deals": 1},
        "Match": seen,
        "Move": {"turn": 1, "move": move},
        "MoveBatch": {"moves": [{"match": _ID, "turn": 1, "move": move}], "wait": 25, "since": _CURSOR},
        "TurnList": {
            "turns": [turn],
            "finished": [views.finished_view(loaded._replace(progress=over), seat)],
            **polled,
        },
        "MoveResults": {"results": [moved], "turns": [turn], "finished": [], **polled},
        "MoveResultAndTurns": {**moved, "next": {**turn, "turn": 3}, "finished": None, "service": "running"},
    }
    plain: dict[str, Any] = orjson.loads(orjson.dumps(made))
    return plain


def _match(game: str) -> LoadedMatch:
    """Return a match of this game at its first question."""
    seats = [_BOT.seat, Seat("house/greedy", "house-greedy", "1", house=True)]
    new = drafted(NewMatch(game, seats, {}, 1), _ID, bytes(32))
    config = new.config.made_at(_THEN)
    match = match_of(config, 0)
    pack = match.game.pack
    state = match.deal(match.begin(), [*pack[5::6], *pack[3::6], *pack[1::6], *pack[::2]])
    progress = new.progress._replace(
        status=Status.RUNNING, started=_NOW, to_move=state.to_move, first_dealer=0
    )
    return new._replace(now=_NOW, config=config, progress=progress, asked=_NOW, deadline=_SOON, state=state)
