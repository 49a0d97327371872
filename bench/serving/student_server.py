"""What a student would write in an evening: FastAPI, redis-py, and WATCH/GET/MULTI for each move.

It plays Durak by our rules against a bot that moves at random. It has tokens, and checks that a move is legal and
answers the open turn. It has no deadlines, retries, records, limits or views of other seats.

    REDIS_URL=redis://127.0.0.1:6379/0 uvicorn bench.serving.student_server:app
"""

from __future__ import annotations

import json
import os
import random
import secrets
from typing import Annotated, Any

import redis.asyncio as redis
from fastapi import FastAPI, Header, HTTPException
from pydantic import BaseModel

from engine.game import CHANCE, IllegalMove, NotAMove
from engine.match import Match, MatchState, deck_text, parse_deck
from engine.registry import GAMES

app = FastAPI()
database = redis.from_url(os.environ["REDIS_URL"])
rules = Match(GAMES["durak"].table(2, {}), deals=1000)
PLAYER, OPPONENT = 0, 1


class Answer(BaseModel):
    """A move that answers a turn."""

    turn: int
    move: str


@app.post("/matches")
async def create_match() -> dict[str, Any]:
    """Create a match and return its id, the player's token and the first turn."""
    match, token = secrets.token_hex(8), secrets.token_hex(16)
    stored = {"token": token, "log": [], "number": 1, "dealer": 0, "turn": 1}
    state = carried_on(stored, rules.begin())
    await database.set(f"match:{match}", json.dumps(stored))
    return {"id": match, "token": token, "next": turn_of(stored, state)}


@app.post("/matches/{match}/moves")
async def move(match: str, answer: Answer, authorization: Annotated[str, Header()]) -> dict[str, Any]:
    """Make a move, let the opponent reply, and return the next turn."""
    async with database.pipeline() as pipe:
        while True:
            try:
                await pipe.watch(f"match:{match}")
                text = await pipe.get(f"match:{match}")
                if text is None:
                    raise HTTPException(404)
                stored = json.loads(text)
                if authorization != f"Bearer {stored['token']}":
                    raise HTTPException(401)
                if answer.turn != stored["turn"]:
                    raise HTTPException(409, "another turn is open")
                state = carried_on(stored, played(stored, replayed(stored), PLAYER, answer.move))
                stored["turn"] += 1
                pipe.multi()  # type: ignore[no-untyped-call]  # redis-py leaves it untyped
                pipe.set(f"match:{match}", json.dumps(stored))
                await pipe.execute()
                return {"next": turn_of(stored, state)}
            except redis.WatchError:
                continue
            except (IllegalMove, NotAMove) as why:
                raise HTTPException(422, str(why)) from why


def replayed(stored: dict[str, Any]) -> MatchState:
    """Return the state after the log of the deal in progress."""
    state = MatchState(stored["number"], stored["dealer"], (0, 0), None, False)
    for seat, text in stored["log"]:
        if seat == CHANCE:
            state = rules.deal(state, parse_deck(text))
        else:
            state = rules.play(state, seat, rules.parse(state, seat, text))
    return state


def played(stored: dict[str, Any], state: MatchState, seat: int, text: str) -> MatchState:
    """Return the state after a move, which is added to the log. Raise `IllegalMove` or `NotAMove`."""
    after = rules.play(state, seat, rules.parse(state, seat, text))
    stored["log"].append((seat, text))
    if after.deal is None:
        stored |= {"log": [], "number": after.number, "dealer": after.dealer}
    return after


def carried_on(stored: dict[str, Any], state: MatchState) -> MatchState:
    """Deal and move for the opponent until the player is to move."""
    while state.to_move in (CHANCE, OPPONENT):
        if state.to_move == CHANCE:
            deck = random.sample(rules.game.pack, len(rules.game.pack))
            state = rules.deal(state, deck)
            stored["log"].append((CHANCE, deck_text(deck)))
        else:
            text = random.choice(rules.legal_texts(state, OPPONENT))
            state = played(stored, state, OPPONENT, text)
    return state


def turn_of(stored: dict[str, Any], state: MatchState) -> dict[str, Any]:
    """Return the open turn of the player."""
    return {"turn": stored["turn"], "observation": rules.view(state, PLAYER)}
