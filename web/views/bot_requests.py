"""For the owner of a bot: its latest requests, and everything that one of its seats saw as a file."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

import orjson
from flask import Response

from api.services import services
from engine.quoting import quoted
from league.accounts.model import Bot
from league.accounts.tokens import Scope
from league.permissions import check_own_bot
from league.watching.service import WatchedRequest
from records.ids import is_match_id
from records.match import views
from records.match.frames import coded
from records.match.loaded_match import LoadedMatch
from referee.errors import EventsNotReady, NoSuchMatch
from referee.referee import Referee
from web.pages import Pages, show, to
from web.session import signed_in

pages = Pages("site_watching", __name__)

_PAGE: Final = 500
"""How many frames of a file are read at once."""
_SHOWN: Final = 50
"""How many requests the page shows."""


class RequestLine(NamedTuple):
    """A logged request, as the page shows it."""

    at: str
    """The time of day, UTC."""
    request: WatchedRequest
    moves: list[str]
    """The moves that it sent."""
    turns: list[str]
    """The matches of the turns that it received."""
    problems: list[str]
    """The codes of refusals, of the request or of its moves."""


@pages.page("/me/bots/<name>/requests")
def show_requests(name: str) -> str:
    """Show the latest requests of a bot."""
    return show("requests.html", **_watched(_own(name)), refusal=None)


@pages.form("/me/bots/<name>/watch", again=lambda name: ("requests.html", _watched(_own(name))))
def watch(name: str) -> Response:
    """Log the requests of a bot for a while."""
    services().watch.begin(_own(name, Scope.LEAGUE))
    return to(f"/me/bots/{name}/requests")


@pages.form("/me/bots/<name>/unwatch")
def unwatch(name: str) -> Response:
    """Log no more requests of a bot."""
    services().watch.end(_own(name, Scope.LEAGUE).id)
    return to(f"/me/bots/{name}/requests")


@pages.page("/me/bots/<name>/matches/<match>.ndjson")
def download_bundle(name: str, match: str) -> Response:
    """Return everything that a bot's seat saw and sent in a match, a JSON object on each line."""
    bot = _own(name)
    if not is_match_id(match):
        raise NoSuchMatch(f"there is no match {quoted(match)}")
    referee = services().referee
    loaded = referee.look(match)
    seat = loaded.config.seat_of(bot.id)
    if seat is None:
        raise NoSuchMatch(f"{bot.full_name} has no seat in a match {quoted(match)}")
    seen = views.match_view(loaded, seat, masked=referee.is_masked(loaded))
    requests = [
        each for each in services().watch.requests(bot.id) if match in each.target + each.sent + each.received
    ]
    headers = {"Content-Disposition": f'attachment; filename="{match}-seat-{seat}.ndjson"'}
    lines = _bundle(referee, loaded, seat, seen, requests)
    return Response(lines, headers=headers, mimetype="application/x-ndjson")


def _own(name: str, *scopes: Scope) -> Bot:
    """Return the viewer's bot with this name. Raise `SignInNeeded`, `NoSuchBot` or a refusal."""
    token = signed_in(*scopes)
    bot = services().accounts.bot(token.name, name)
    check_own_bot(token, bot)
    return bot


def _watched(bot: Bot) -> dict[str, Any]:
    requests = services().watch.requests(bot.id)[:_SHOWN]
    return {
        "bot": bot,
        "until": services().watch.until(bot.id),
        "requests": [_line(each) for each in requests],
    }


def _line(request: WatchedRequest) -> RequestLine:
    sent, received = _parsed(request.sent), _parsed(request.received)
    moves = sent.get("moves")
    answers = received.get("results")
    turns = received.get("turns")
    problems = [received.get("code")] if request.status >= 400 else []
    problems += [_member(each.get("problem"), "code") for each in _objects(answers)]
    return RequestLine(
        datetime.fromtimestamp(request.at / 1000, UTC).strftime("%H:%M:%S.%f")[:-3],
        request,
        [
            str(each.get("move", ""))
            for each in (_objects(moves) if moves is not None else [sent])
            if "move" in each
        ],
        [str(each.get("match", "")) for each in _objects(turns)],
        [str(code) for code in problems if code],
    )


def _bundle(
    referee: Referee, loaded: LoadedMatch, seat: int, seen: dict[str, Any], requests: list[WatchedRequest]
) -> Iterator[bytes]:
    """Yield the lines of a bundle: the match, its frames as the seat sees them, and the logged requests."""
    yield _json({"type": "match", "match": seen})
    after = 0
    try:
        while frames := referee.frames(loaded, seat, after, _PAGE):
            yield b"".join(_json({"type": "frame", "frame": each}) for each in coded(frames))
            after = frames[-1].number
    except EventsNotReady:
        yield _json({"type": "incomplete", "after": after})
    for each in reversed(requests):
        yield _json({"type": "request", "request": each._asdict()})


def _json(data: Any) -> bytes:
    return orjson.dumps(data, option=orjson.OPT_APPEND_NEWLINE)


def _parsed(text: str) -> dict[str, Any]:
    """Return the object that a logged body holds; an empty one if it was cut off."""
    try:
        found = orjson.loads(text)
    except orjson.JSONDecodeError:
        return {}
    return found if isinstance(found, dict) else {}


def _objects(value: Any) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _member(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else None
