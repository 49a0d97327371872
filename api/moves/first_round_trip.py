"""The first round trip of a request with moves: it verifies the token and begins the moves.

A token that this process has looked up before is relied on: its moves are made in this round trip where the referee
remembers their matches, and each of their commits verifies that the token still permits it. In all other cases the
round trip verifies the token or looks it up, and reads the matches, and the moves take a second one. No move is made
without one of the two: a commit that verifies the token, or a round trip of this request that does.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from api import auth
from league.accounts.remembered import FRESH_S
from league.accounts.tokens import Scope
from referee.running.moves import KnownBot

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

    from api.services import Services
    from league.accounts.remembered import RememberedToken
    from league.accounts.tokens import Token
    from referee.match.move_requests import MoveRequest
    from referee.running.moves import BegunMove


class FirstRoundTrip:
    """A round trip that has not been made yet."""

    def __init__(self, services: Services, environ: WSGIEnvironment) -> None:
        """Raise `Problem` for a request without a token."""
        text = auth.bearer(environ)
        if text is None:
            raise auth.token_missing()
        self._services, self._text = services, text
        self._pipeline = services.pipeline()
        self._known = services.accounts.remembered_token(text)
        self.bot = None if self._known is None else _known_bot(self._known)
        """The bot of a remembered token, whose moves may be made in this round trip."""
        self._relied = True
        self.begun: list[BegunMove] = []
        """The moves begun so far. Their results are available after `go`."""

    def rely_on_nothing(self) -> None:
        """Make no move in this round trip."""
        self.bot = None

    def begin(self, move: MoveRequest, arrived: float) -> None:
        """Begin a move that arrived at this instant."""
        begun = self._services.referee.begin(self._pipeline, move, arrived, self.bot)
        self._relied = self._relied and begun.is_sure
        self.begun.append(begun)

    def go(self) -> Token | None:
        """Make the round trip. Return the token, `None` for an invalid one."""
        known = self._known
        if known is not None and self.begun and self._relied and time.monotonic() - known.asked_at < FRESH_S:
            self._pipeline.go()
            if all(begun.is_made for begun in self.begun):
                return known.token
            self._pipeline = self._services.pipeline()
        look_up = any(begun.needs_look_up for begun in self.begun)
        pending = self._services.accounts.ask_token(self._pipeline, self._text, look_up=look_up)
        self._pipeline.go()
        return pending.answer


def _known_bot(known: RememberedToken) -> KnownBot | None:
    """Return the bot of a token that permits moves, outside a conformance check, which may refuse them first."""
    token = known.token
    if token.bot is None or token.check is not None or Scope.PLAY not in token.scopes:
        return None
    return KnownBot(token.bot, known.asked_at)
