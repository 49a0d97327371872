"""The first round trip of a request with moves: it verifies the token and begins the moves.

A token that this process has looked up before is relied on: where the referee remembers the matches too, this round
trip makes the moves, and each commit verifies the token. Otherwise it verifies the token or looks it up, and reads the
matches. No move is made unless its commit, or a round trip of its request, has verified the token.
"""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING

from api import auth
from league.accounts.remembered import FRESH_S
from league.accounts.tokens import Scope
from referee.after_commit import Hook
from referee.errors import Busy
from referee.running.moves import KnownBot

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

    from api.services import Services
    from league.accounts.remembered import RememberedToken
    from league.accounts.tokens import Token
    from referee.match.move_requests import MoveRequest
    from referee.running.moves import BegunMove
    from referee.storage.store import PendingReply


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
        self.begun: list[BegunMove] = []
        """The moves begun so far. Their results are available after `go`."""

    def rely_on_nothing(self) -> None:
        """Make no move in this round trip."""
        self.bot = None

    def begin(self, move: MoveRequest, arrived: float) -> None:
        """Begin a move that arrived at this instant."""
        self.begun.append(self._services.referee.begin(self._pipeline, move, arrived, self.bot))

    def go(self) -> Token | None:
        """Make the round trip. Return the token: the remembered one if it has made a move, `None` for an invalid one.

        Where the moves were to verify the token and some were not made, make another round trip that verifies it. If
        it can't be verified although some moves are made, the others are refused.
        """
        known = self._known
        asked = None
        if known is None or not self._moves_verify(known):
            asked = self._ask_token()
        self._pipeline.go(partly=True)
        others = [begun for begun in self.begun if not begun.is_made]
        if known is None or len(others) == len(self.begun):
            return self._verified(asked)
        if asked is None and not others:
            return known.token
        # The response to a move that is made must not get lost.
        read = partial(self._verified, asked)
        if self._services.after.run(Hook.OTHER_MOVES, read, None, committed=True) is None:
            for begun in others:
                begun.refusal = Busy("the token could not be verified for this move; send it again")
        return known.token

    def _moves_verify(self, known: RememberedToken) -> bool:
        """Return whether the commits of the moves will probably verify the token."""
        fresh = time.monotonic() - known.asked_at < FRESH_S
        return fresh and bool(self.begun) and all(begun.is_likely for begun in self.begun)

    def _ask_token(self) -> PendingReply[Token | None]:
        """Let the next round trip verify the token or look it up."""
        look_up = any(begun.needs_look_up for begun in self.begun)
        return self._services.accounts.ask_token(self._pipeline, self._text, look_up=look_up)

    def _verified(self, asked: PendingReply[Token | None] | None) -> Token | None:
        """Return the token. Make another round trip if the first did not ask for it."""
        if asked is None:
            self._pipeline = self._services.pipeline()
            asked = self._ask_token()
            self._pipeline.go()
        return asked.answer


def _known_bot(known: RememberedToken) -> KnownBot | None:
    """Return the bot of a token that permits moves, outside a conformance check, which may refuse them first."""
    token = known.token
    if token.bot is None or token.check is not None or Scope.PLAY not in token.scopes:
        return None
    return KnownBot(token.bot, known.asked_at)
