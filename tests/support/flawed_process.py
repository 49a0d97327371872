"""The rigged processes with flaws that tests turn on one at a time.

    python -m tests.support.flawed_process api|clock|worker

A flaw is on while the file `flaw` in the deck folder has its name. It leaks a hidden value of a deal of Durak: the next
card of the talon, or the number of trumps in hands. With no flaw on, only the house bots differ from the rigged
processes: they log their arguments and make the first legal move.
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
from engine.games.durak import Durak, DurakState
from engine.match import Match, MatchState
from engine.seen import LazyObservation
from tests.support import rigged_process

if TYPE_CHECKING:
    from flask import Flask

    from api.metrics import Metrics
    from records.match.loaded_match import LoadedMatch
    from referee.feed import Feed

HANDED = "handed"
"""The file in the deck folder in which house bots log their arguments, one JSON line per move."""


def set_flaw(folder: Path, name: str) -> None:
    """Turn on this flaw and no other. An empty name turns all flaws off."""
    (folder / "flaw").write_text(name)


def next_card(state: MatchState) -> str:
    """Return a hidden value: the next card of the talon."""
    return _next_card(state.deal)


def _next_card(deal: DurakState) -> str:
    bout = deal.bout
    return CARD_TEXT[(bout.deal.talon[bout.drawn + 1] ^ bout.deal.talon[bout.drawn]).bit_length() - 1]


def trumps_in_hands(state: MatchState) -> int:
    """Return a hidden count: the trumps in all hands."""
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
    """A house bot that logs its arguments and makes the first legal move."""

    version = "1"

    def __init__(self, name: str) -> None:
        self.name = name

    def pick(self, moves: int, rng: Random) -> int | None:
        return None

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
            raise RuntimeError(f"the hand is {observation['hand']}")
        reported = {**observation, "held": _held(observation)}
        handed = [self.name, game.id, game.seats, dict(game.options), reported, legal_moves, history]
        with (_folder() / HANDED).open("a") as file:
            file.write(json.dumps(handed) + "\n")
        return legal_moves[0]


def _held(observation: Mapping[str, Any]) -> str:
    """Return what a view holds to compute its fields from, which a bot in the process could reach."""
    if not isinstance(observation, LazyObservation):
        return ""
    visible = observation._visible
    return repr({name: getattr(visible, name) for name in dir(visible) if not name.startswith("__")})


def spoil() -> None:
    """Install the flaws and the logging house bots in this process."""
    from records.match import views
    from referee.feed import Feed
    from referee.polling import turns
    from referee.referee import Referee
    from referee.service.readiness import Readiness
    from server import house

    house.HOUSE_BOTS = {name: Scribe(name) for name in house.HOUSE_BOTS}
    house.THINKERS = {name: Scribe(name) for name in house.THINKERS}
    views.observation = partial(_observation, views.observation)
    views.match_view = partial(_match_view, views.match_view)
    turns._digest = partial(_digest, turns._digest)
    events, observe, glance, feed = Referee.events, Match.observe, Durak.glance, Feed.__call__
    to_json = Readiness.to_json

    def flawed_events(
        self: Referee, loaded: LoadedMatch, viewer: int | None, after: int, most: int
    ) -> list[dict[str, Any]]:
        found = events(self, loaded, viewer, after, most)
        if found and loaded.state is not None and _on("event"):
            found[-1]["trumps_in_hands"] = trumps_in_hands(loaded.state)
        return found

    def flawed_observe(self: Match, state: MatchState, seat: int | None) -> dict[str, Any]:
        return {**observe(self, state, seat), **({"next_card": next_card(state)} if _on("house") else {})}

    def flawed_glance(
        self: Durak, deal: DurakState, seat: int | None, known: dict[str, Any]
    ) -> LazyObservation:
        return glance(self, deal, seat, {**known, "next_card": _next_card(deal)} if _on("house") else known)

    def flawed_feed(self: Feed, loaded_matches: Sequence[LoadedMatch]) -> None:
        if _on("fault"):
            raise _whole(loaded_matches[0])
        feed(self, loaded_matches)

    def flawed_readiness(self: Readiness) -> dict[str, Any]:
        more = {"warnings": [str(trumps_in_hands(state)) for state in _LOOKED_AT]} if _on("readiness") else {}
        return {**to_json(self), **more}

    Readiness.to_json = flawed_readiness  # type: ignore[method-assign]
    Referee.events, Feed.__call__ = flawed_events, flawed_feed
    Match.observe, Durak.glance = flawed_observe, flawed_glance


_METRICS: list[Metrics] = []
"""The metrics of this process, if it serves the API."""
_LOOKED_AT: list[MatchState] = []
"""The state of the last match that this process displayed, or empty."""


def _whole(loaded: LoadedMatch) -> Exception:
    return RuntimeError(f"the complete match: {loaded.log} {loaded.secret.hex()}")


def _observation(whole: Callable[..., dict[str, Any] | None], loaded: LoadedMatch, viewer: int | None) -> Any:
    seen = whole(loaded, viewer)
    if seen is not None and loaded.state is not None and _on("view"):
        seen["next_card"] = next_card(loaded.state)
    return seen


def _match_view(
    whole: Callable[..., dict[str, Any]], loaded: LoadedMatch, *more: Any, **named: Any
) -> dict[str, Any]:
    if _on("fault"):
        raise _whole(loaded)
    if loaded.state is not None:
        _LOOKED_AT[:] = [loaded.state]
    if loaded.state is not None and _on("log"):
        logging.getLogger("kozyr").info("trumps in hands: %s", trumps_in_hands(loaded.state))
    if loaded.state is not None and _on("metric"):
        for metrics in _METRICS:
            metrics._moves.labels(str(trumps_in_hands(loaded.state))).inc()
    return whole(loaded, *more, **named)


def _digest(own: Callable[[LoadedMatch], bytes], loaded: LoadedMatch) -> bytes:
    longer = trumps_in_hands(loaded.state) if loaded.state is not None and _on("cursor") else 0
    return own(loaded) + bytes(len(own(loaded)) * longer)


def create() -> Flask:
    """Return the API application for a gunicorn worker."""
    from flask import request

    from api.moves.pipeline import MovePipeline
    from api.services import services

    spoil()
    refusals = MovePipeline._refusals

    def flawed_refusals(self: MovePipeline, sender: Any, moves: Sequence[Any], results: Any) -> Any:
        found = refusals(self, sender, moves, results)
        for place, problem in found.items():
            loaded = self.services.referee.look(moves[place].match) if _on("error") else None
            if loaded is not None and loaded.state is not None:
                problem.detail += f" (next comes the {next_card(loaded.state)})"
        return found

    MovePipeline._refusals = flawed_refusals  # type: ignore[method-assign]
    app = rigged_process.create()

    @app.after_request
    def leak_into_a_header(response: Any) -> Any:
        match = (request.view_args or {}).get("match")
        if match is not None and response.status_code == 200 and _on("header"):
            response.headers["ETag"] = sha256(services().referee.look(match).log.encode()).hexdigest()
        return response

    _METRICS[:] = [app.extensions["kozyr-metrics"]]
    return app


def _part(name: str) -> None:
    spoil()
    getattr(rigged_process, name)()


if __name__ == "__main__":
    parts = {name: partial(_part, name) for name in ("clock", "worker")}
    rigged_process.main("tests.support.flawed_process", parts)
