"""The rigged processes with flaws that tests turn on one at a time: `python -m tests.support.flawed_process api|…`.

With no flaw on they differ from the rigged ones in their house bots, which write down what they are handed and make the
first of their legal moves. A flaw is on while the file `flaw` in the folder of the decks has its name. What it gives
away is of a deal of Durak: the next card of the talon, or how many trumps are in hands.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from engine.cards import CARD_TEXT, SUIT_MASK
from engine.game import Game
from engine.match import Match, MatchState
from tests.support import rigged_process

if TYPE_CHECKING:
    from flask import Flask

    from referee.referee import LoadedMatch
    from referee.storage.feed import Feed

HANDED = "handed"
"""The file in the folder of the decks in which house bots write down what they were handed, a line of JSON a move."""


def set_flaw(folder: Path, name: str) -> None:
    """From now on this flaw is on, and no other; none at all for no name."""
    (folder / "flaw").write_text(name)


def next_card(state: MatchState) -> str:
    """What nobody may see: the next card of the talon."""
    bout = state.deal.bout
    return CARD_TEXT[(bout.deal.talon[bout.drawn + 1] ^ bout.deal.talon[bout.drawn]).bit_length() - 1]


def trumps_in_hands(state: MatchState) -> int:
    """What nobody may count: the trumps in all hands."""
    trumps = SUIT_MASK[state.deal.bout.deal.trump]
    return sum((hand & trumps).bit_count() for hand in state.deal.hands)


def _folder() -> Path:
    return Path(os.environ[rigged_process.FOLDER])


def _on(flaw: str) -> bool:
    try:
        return (_folder() / "flaw").read_text() == flaw
    except FileNotFoundError:
        return False


class Scribe:
    """A house bot, of either kind, that writes down what it is handed and makes the first legal move."""

    version = "1"

    def __init__(self, name: str) -> None:
        self.name = name

    def choose(
        self, game: Game, observation: Mapping[str, Any], legal_moves: Sequence[str], rng: Random
    ) -> str:
        return self.think(game, observation, legal_moves, [], rng)

    def think(
        self,
        game: Game,
        observation: Mapping[str, Any],
        legal_moves: Sequence[str],
        history: Sequence[Mapping[str, Any]],
        rng: Random,
    ) -> str:
        if _on("fault in a job"):
            raise RuntimeError(f"the whole hand is {observation['hand']}")
        handed = [self.name, game.id, game.seats, dict(game.options), observation, legal_moves, history]
        with (_folder() / HANDED).open("a") as file:
            file.write(json.dumps(handed) + "\n")
        return legal_moves[0]


def spoil() -> None:
    """Put the flaws and the scribes into this process."""
    from kozyr import container as wiring
    from referee.match import views
    from referee.polling import turns
    from referee.referee import Referee
    from referee.service.readiness import Readiness
    from referee.storage.feed import Feed

    wiring.HOUSE_BOTS = {name: Scribe(name) for name in wiring.HOUSE_BOTS}
    wiring.THINKERS = {name: Scribe(name) for name in wiring.THINKERS}
    views.observation = partial(_observation, views.observation)
    views.match_view = partial(_match_view, views.match_view)
    turns._digest = partial(_digest, turns._digest)
    events, observe, feed = Referee.events, Match.observe, Feed.__call__
    to_json = Readiness.to_json

    def flawed_events(
        self: Referee, live: LoadedMatch, viewer: int | None, after: int, most: int
    ) -> list[dict[str, Any]]:
        found = events(self, live, viewer, after, most)
        if found and live.state is not None and _on("event"):
            found[-1]["trumps_in_hands"] = trumps_in_hands(live.state)
        return found

    def flawed_observe(self: Match, state: MatchState, seat: int | None) -> dict[str, Any]:
        return {**observe(self, state, seat), **({"next_card": next_card(state)} if _on("house") else {})}

    def flawed_feed(self: Feed, lives: Sequence[LoadedMatch]) -> None:
        if _on("fault"):
            raise _whole(lives[0])
        feed(self, lives)

    def flawed_readiness(self: Readiness) -> dict[str, Any]:
        more = {"warnings": [str(trumps_in_hands(state)) for state in _LOOKED_AT]} if _on("readiness") else {}
        return {**to_json(self), **more}

    Readiness.to_json = flawed_readiness  # type: ignore[method-assign]
    Referee.events, Match.observe, Feed.__call__ = flawed_events, flawed_observe, flawed_feed


_LOOKED_AT: list[MatchState] = []
"""The state of the last match that this process has shown."""


def _whole(live: LoadedMatch) -> Exception:
    return RuntimeError(f"the whole of it: {live.log} {live.secret.hex()}")


def _observation(whole: Callable[..., dict[str, Any] | None], live: LoadedMatch, viewer: int | None) -> Any:
    seen = whole(live, viewer)
    if seen is not None and live.state is not None and _on("view"):
        seen["next_card"] = next_card(live.state)
    return seen


def _match_view(
    whole: Callable[..., dict[str, Any]], live: LoadedMatch, *more: Any, **named: Any
) -> dict[str, Any]:
    from api import metrics

    if _on("fault"):
        raise _whole(live)
    if live.state is not None:
        _LOOKED_AT[:] = [live.state]
    if live.state is not None and _on("log"):
        logging.getLogger("kozyr").info("trumps in hands: %s", trumps_in_hands(live.state))
    if live.state is not None and _on("metric"):
        metrics.of()._moves.labels(str(trumps_in_hands(live.state))).inc()
    return whole(live, *more, **named)


def _digest(own: Callable[[LoadedMatch], bytes], live: LoadedMatch) -> bytes:
    longer = trumps_in_hands(live.state) if live.state is not None and _on("cursor") else 0
    return own(live) + bytes(len(own(live)) * longer)


def create() -> Flask:
    """The API's application, in a worker of gunicorn."""
    from api.app import Application
    from api.resources import turns
    from api.services import services

    spoil()
    problems, respond = turns._problems, Application.process_response

    def flawed_problems(results: Any, moves: Sequence[Any], bot: str) -> Any:
        found = problems(results, moves, bot)
        for problem, move in zip(found, moves, strict=True):
            live = services().referee.look(move.match) if _on("error") else None
            if live is not None and live.state is not None:
                problem.detail += f" (next comes the {next_card(live.state)})"
        return found

    def flawed_respond(self: Application, response: Any) -> Any:
        from flask import request

        match = (request.view_args or {}).get("match")
        if match is not None and response.status_code == 200 and _on("header"):
            response.headers["ETag"] = sha256(services().referee.look(match).log.encode()).hexdigest()
        return respond(self, response)

    turns._problems, Application.process_response = flawed_problems, flawed_respond
    return rigged_process.create()


def _part(name: str) -> None:
    spoil()
    getattr(rigged_process, name)()


if __name__ == "__main__":
    parts = {name: partial(_part, name) for name in ("clock", "worker")}
    rigged_process.main("tests.support.flawed_process", parts)
