"""The responses of a bot's loop as plain text, for `Accept: text/plain`: each turn is a message of its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from api.contract.describe import CURSOR
from api.host_and_accept import preferred
from api.http.replies import HttpReply
from api.problems import Problem
from api.schemas.turns import MOST_TOLD
from api.wire import JSON, query_of
from records.words.outcome import finished_text, made_text, refused_text
from records.words.past import with_past
from records.words.phrases import language_of
from records.words.turn import turn_text
from referee.after_commit import AfterCommitStep
from referee.errors import EventsNotReady

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

    from api.services import Services

TEXT: Final = "text/plain"
PAST: Final = "past"
"""The parameter of the query that asks for `since_your_turn` and `seen`."""
_Json = Mapping[str, Any]
_MOST_EVENTS: Final = 2000
"""The events before a turn that are read: those of two deals."""


def wants_text(environ: WSGIEnvironment) -> bool:
    """Return whether the client prefers plain text to JSON."""
    accepted = environ.get("HTTP_ACCEPT", "")
    return "text/" in accepted and preferred(accepted, (JSON, TEXT)) == TEXT


def wants_past(environ: WSGIEnvironment) -> bool:
    """Return the parameter `past` of the query. Raise `Problem` for a value other than `true` and `false`."""
    if not environ.get("QUERY_STRING"):
        return False
    value = query_of(environ).get(PAST, "false")
    if value not in ("true", "false"):
        raise Problem("invalid_query", f"`{PAST}` is true or false", errors={PAST: ["Not a valid boolean."]})
    return value == "true"


def reply_in_words(services: Services, environ: WSGIEnvironment, body: Mapping[str, Any]) -> HttpReply:
    """Return what a body of the bot's loop says, as messages with an empty line between them."""
    language = language_of(environ.get("HTTP_ACCEPT_LANGUAGE"))
    text = "\n\n".join(_messages(services, body, language))
    headers = {CURSOR: body["since"]} if "since" in body else {}
    return HttpReply(f"{text}\n".encode() if text else b"", f"{TEXT}; charset=utf-8", headers=headers)


def _messages(services: Services, body: Mapping[str, Any], language: str) -> Iterator[str]:
    if "move" in body:
        yield made_text(body, language)
    for result in body.get("results", ()):
        yield refused_text(result, language) if "problem" in result else made_text(result, language)
    turns = body["turns"] if "turns" in body else [body["next"]]
    for turn, past in _with_pasts(services, filter(None, turns)):
        yield turn_text(turn, *past, language)
    finished = body["finished"]
    for over in finished if isinstance(finished, list) else filter(None, [finished]):
        yield finished_text(over, language)


def add_past(services: Services, body: dict[str, Any]) -> dict[str, Any]:
    """Return a body of the bot's loop whose turns have `since_your_turn` and `seen`."""
    if "turns" in body:
        return {
            **body,
            "turns": [with_past(turn, *past) for turn, past in _with_pasts(services, body["turns"])],
        }
    following = body["next"]
    return {**body, "next": following and with_past(following, *_past_of(services, following, told=True))}


def _with_pasts(
    services: Services, turns: Iterable[_Json]
) -> Iterator[tuple[_Json, tuple[_Json, Sequence[_Json]]]]:
    for number, turn in enumerate(turns):
        yield turn, _past_of(services, turn, told=number < MOST_TOLD)


def _past_of(services: Services, turn: _Json, *, told: bool) -> tuple[_Json, Sequence[_Json]]:
    """Return the table of a turn and its events; no events without `told`, or if they can't be read."""
    observation = turn["observation"]

    def read() -> tuple[_Json, Sequence[_Json]]:
        referee = services.referee
        loaded = referee.look(turn["match"])
        if not told or loaded.progress.turn != turn["turn"]:
            return loaded.config.options, ()
        try:
            start = referee.replays.before_deal(loaded, max(1, turn["deal"] - 1))
            found = referee.events(loaded, turn["seat"], start, _MOST_EVENTS)
            if len(found) == _MOST_EVENTS:  # a long deal: the last events tell more than the first
                start = referee.replays.before_deal(loaded, turn["deal"] + 1) - _MOST_EVENTS
                found = referee.events(loaded, turn["seat"], start, _MOST_EVENTS)
            return loaded.config.options, found
        except EventsNotReady:
            return loaded.config.options, ()

    # A move of this request may be made, and then its response must not fail.
    unread: tuple[_Json, Sequence[_Json]] = ({}, ())
    options, events = services.after_commit.run(AfterCommitStep.VIEW, read, unread, committed=True)
    table = {"game": observation["game"], "seats": len(observation["scores"]), "options": options}
    return table, events
