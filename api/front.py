"""The dispatcher in front of Flask: it answers the requests of a bot's loop, and leaves all others to Flask.

A tournament consists of three requests, and Flask and werkzeug would take a third of their time. Everything that they
mean is in `BotLoop` and `Epilogue`, which Flask's handlers of the same routes use too. What is not exactly one of the
three (another method, an odd path) goes to Flask.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from werkzeug.http import HTTP_STATUS_CODES

from api.blueprint import guard
from api.contract.describe import HandlerDemands, demands_of
from api.epilogue import RouteName, reply_to
from api.http.pauses import PAUSES, waited_out
from api.resources import turns
from referee.ids import is_match_id

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

    from api.epilogue import Epilogue
    from api.http.headers import Headers
    from api.http.replies import HttpReply
    from api.moves.bot_loop import BotLoop
    from api.services import Services
    from referee.polling.waiter import Pause

    _Call = Callable[[WSGIEnvironment], Generator[Pause, None, HttpReply]]

_MOVE_PATH: Final = ("/v1/matches/", "/moves")
_STATUS: Final = {status: f"{status} {name.upper()}" for status, name in HTTP_STATUS_CODES.items()}


class _HotRoute(NamedTuple):
    name: RouteName
    demands: HandlerDemands


_LIST_TURNS: Final = _HotRoute(
    RouteName("turns.list_turns", "/v1/turns", "GET"), demands_of(turns.list_turns)
)
_MAKE_MOVES: Final = _HotRoute(
    RouteName("turns.make_moves", "/v1/turns", "POST"), demands_of(turns.make_moves)
)
_MAKE_MOVE: Final = _HotRoute(
    RouteName("turns.make_move", "/v1/matches/<match>/moves", "POST"), demands_of(turns.make_move)
)


class Front:
    """Answers the requests of a bot's loop without Flask."""

    def __init__(self, services: Services, loop: BotLoop, epilogue: Epilogue, headers: Headers) -> None:
        """`headers` are those of every response with data."""
        self._services, self._loop, self._epilogue, self._headers = services, loop, epilogue, headers
        self._turns: Mapping[str, tuple[_HotRoute, _Call]] = {
            "GET": (_LIST_TURNS, loop.list_turns),
            "POST": (_MAKE_MOVES, loop.make_moves),
        }

    def __call__(
        self, environ: WSGIEnvironment, start_response: StartResponse
    ) -> Iterable[Pause | bytes] | None:
        """Return the response to a request, or `None` for one that Flask has to answer.

        It has pauses for a server that announces `PAUSES`, and waits itself for any other.
        """
        steps = self._steps(environ, start_response)
        return steps if steps is None or PAUSES in environ else waited_out(steps)

    def _steps(
        self, environ: WSGIEnvironment, start_response: StartResponse
    ) -> Iterator[Pause | bytes] | None:
        if "HTTP_ORIGIN" in environ and self._services.cors_origins:
            return None  # Flask adds the headers for other origins
        found = self._route(environ["REQUEST_METHOD"], environ["PATH_INFO"])
        return None if found is None else self._answer(*found, environ, start_response)

    def takes(self, method: str, path: str) -> bool:
        """Return whether `__call__` answers these requests without an `Origin`. Their responses then have a
        `Content-Length`."""
        return self._route(method, path) is not None

    def _route(self, method: str, path: str) -> tuple[_HotRoute, _Call] | None:
        if path == "/v1/turns":
            return self._turns.get(method)
        match = _match_in(path) if method == "POST" else None
        return None if match is None else (_MAKE_MOVE, partial(self._loop.make_move, match=match))

    def _answer(
        self,
        route: _HotRoute,
        call: _Call,
        environ: WSGIEnvironment,
        start_response: StartResponse,
    ) -> Iterator[Pause | bytes]:
        try:
            self._services.hosts.check(environ)
            guard(environ, route.demands, self._epilogue.rates)
            reply = yield from call(environ)
        except Exception as error:
            reply = reply_to(error, self._services, environ["kozyr.request_id"])
        self._epilogue.note_watched(environ, reply.status, lambda: reply.body)
        size = len(reply.body)
        more = self._epilogue.end(
            environ, route.name, reply.status, size=size if reply.cut_at is None else None
        )
        start_response(
            _STATUS[reply.status],
            [
                ("Content-Type", reply.content_type),
                ("Content-Length", str(size)),
                *reply.headers.items(),
                *self._headers,
                *more,
            ],
        )
        yield from reply.chunks()


def _match_in(path: str) -> str | None:
    """Return the match id in the path of a move, or `None` for another path."""
    beginning, end = _MOVE_PATH
    match = path[len(beginning) : -len(end)]
    return match if path == f"{beginning}{match}{end}" and is_match_id(match) else None
