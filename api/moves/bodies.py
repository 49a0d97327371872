"""Read the bodies of the two move routes.

The schemas in `api.schemas.turns` describe these bodies in the document. This module checks the same rules by hand,
because a validator is too slow for the hot routes. A test keeps the two equal.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple, NoReturn

from api.problems import Problem
from api.schemas.turns import MOST_CURSOR, MOST_DEAL, MOST_MOVE_TEXT, MOST_TURN
from api.waits import bounded
from api.wire import is_whole
from records.match.log import MOST_NOTE, is_note
from records.match.move_requests import MOST_COUNT, MOST_THOUGHTS, USAGE, MoveFacts, MoveRequest
from records.words.reading import MENDINGS

if TYPE_CHECKING:
    from api.services import Limits


_MATCH_ID: Final = 64
_MATCH: Final = frozenset({"match"})
_BATCH_FIELDS: Final = frozenset({"moves", "wait", "since", "leaving"})


class InvalidBody(Problem):
    """A refused body. `match` is the match of the move that is at fault, if it is known."""

    def __init__(self, errors: dict[str, list[str]], match: str | None) -> None:
        name, (why, *_) = next(iter(errors.items()))
        super().__init__("invalid_body", f"{name}: {why}", errors=errors)
        self.match = match


class MoveBatch(NamedTuple):
    """The body of `POST /v1/turns`."""

    moves: list[MoveRequest]
    wait: float
    since: str | None
    leaving: bool = False


def read_move(body: Any, match: str) -> MoveRequest:
    """Return the move in the body of `POST /v1/matches/{match}/moves`. Raise `Problem` for an invalid body."""
    if not isinstance(body, dict):
        _refuse({"_schema": ["Must be an object."]}, match)
    return _move(body, match, frozenset(), "")


def read_batch(body: Any, limits: Limits) -> MoveBatch:
    """Return the moves in the body of `POST /v1/turns`. Raise `Problem` for an invalid body."""
    if not isinstance(body, dict):
        _refuse({"_schema": ["Must be an object."]})
    for name in body:
        if name not in _BATCH_FIELDS:
            _refuse({name: ["Unknown field."]})
    moves = body.get("moves", [])
    if not isinstance(moves, list) or len(moves) > limits.max_moves:
        _refuse({"moves": [f"Must be a list of at most {limits.max_moves} moves."]})
    since = body.get("since")
    if since is not None and not (isinstance(since, str) and 0 < len(since) <= MOST_CURSOR):
        _refuse({"since": ["Must be a cursor of this service, or null."]})
    leaving = body.get("leaving", False)
    if not isinstance(leaving, bool):
        _refuse({"leaving": ["Must be true or false."]})
    requests = []
    for index, move in enumerate(moves):
        place = f"moves.{index}."
        if not isinstance(move, dict):
            _refuse({place[:-1]: ["Must be an object."]})
        match = move.get("match")
        if not isinstance(match, str) or not 0 < len(match) <= _MATCH_ID:
            _refuse({place + "match": ["Must be the id of a match."]})
        requests.append(_move(move, match, _MATCH, place))
    return MoveBatch(requests, bounded(body.get("wait", 0), limits.max_wait_s), since, leaving)


def _move(body: dict[str, Any], match: str, more: frozenset[str], place: str) -> MoveRequest:
    """Return the move in a body that may also have the fields `more`."""
    text = body.get("move")
    if not isinstance(text, str) or not 0 < len(text) <= MOST_MOVE_TEXT:
        _refuse({place + "move": [f"Must be a text of 1 to {MOST_MOVE_TEXT} characters."]}, match)
    note = ""
    if "note" in body:
        note = body["note"]
        if not isinstance(note, str) or not is_note(note):
            _refuse(
                {
                    place + "note": [
                        f"Must be a text of at most {MOST_NOTE} characters without control characters."
                    ]
                },
                match,
            )
    facts = _facts(body["facts"], match, place) if "facts" in body else None
    if "turn" in body:
        turn = body["turn"]
        if not is_whole(turn) or not 1 <= turn <= MOST_TURN:
            _refuse({place + "turn": [f"Must be a whole number from 1 to {MOST_TURN}."]}, match)
        request = MoveRequest(match, text, int(turn), None, note, facts)
    elif "deal" in body:
        deal = body["deal"]
        if not is_whole(deal) or not 1 <= deal <= MOST_DEAL:
            _refuse({place + "deal": [f"Must be a whole number from 1 to {MOST_DEAL}."]}, match)
        request = MoveRequest(match, text, None, int(deal), note, facts)
    else:
        _refuse({place + "turn": ["A move needs `turn`; a free move needs `deal`."]}, match)
    known = more | {"turn" if "turn" in body else "deal", "move", "note", "facts"}
    if not known.issuperset(body):
        _refuse({place + name: ["Unknown field."] for name in body if name not in known}, match)
    return request


def _facts(data: Any, match: str, place: str) -> MoveFacts:
    try:
        return facts_of(data)
    except ValueError as why:
        _refuse({place + "facts": [str(why)]}, match)


def _refuse(errors: dict[str, list[str]], match: str | None = None) -> NoReturn:
    raise InvalidBody(errors, match)


_STEERING: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
"""Control characters but tabs and line ends, and marks that change the direction of a text."""


def facts_of(data: Any) -> MoveFacts:
    """Return the facts in a JSON value. Raise `ValueError`, which says what is wrong."""
    if not isinstance(data, dict):
        raise ValueError("Must be an object.")
    return MoveFacts(**dict(_checked(data)))


def _checked(data: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in data.items():
        if name in USAGE:
            if not is_whole(value) or not 0 <= value <= MOST_COUNT:
                raise ValueError(f"{name} must be a whole number from 0 to {MOST_COUNT}.")
            yield name, int(value)
        elif name == "thoughts":
            if not isinstance(value, str) or len(value.encode()) > MOST_THOUGHTS:
                raise ValueError(f"thoughts must be a text of at most {MOST_THOUGHTS} bytes.")
            yield name, _STEERING.sub("\N{REPLACEMENT CHARACTER}", value)
        elif name == "mended":
            if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
                raise ValueError("mended must be a list of texts.")
            if len(value) > len(MENDINGS) or not set(value) <= MENDINGS.keys():
                raise ValueError(f"mended may have {', '.join(MENDINGS)}.")
            yield name, tuple(dict.fromkeys(value))
        else:
            raise ValueError(f"{name[:64]} is an unknown field.")
