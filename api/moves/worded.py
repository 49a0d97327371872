"""The responses of a bot's loop as plain text, for `Accept: text/plain`: each turn is a message of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from api.contract.describe import CURSOR
from api.host_and_accept import preferred
from api.http.replies import HttpReply
from api.wire import JSON
from records.words.outcome import finished_text, made_text, refused_text
from records.words.phrases import language_of
from records.words.turn import turn_text
from referee.after_commit import AfterCommitStep
from referee.errors import EventsNotReady

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

    from api.services import Services

TEXT: Final = "text/plain"
_MOST_EVENTS: Final = 2000
"""The events before a turn that are read: those of two deals."""


def wants_text(environ: WSGIEnvironment) -> bool:
    """Return whether the client prefers plain text to JSON."""
    accepted = environ.get("HTTP_ACCEPT", "")
    return "text/" in accepted and preferred(accepted, (JSON, TEXT)) == TEXT


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
    for turn in filter(None, turns):
        yield _turn(services, turn, language)
    finished = body["finished"]
    for over in finished if isinstance(finished, list) else filter(None, [finished]):
        yield finished_text(over, language)


def _turn(services: Services, turn: Mapping[str, Any], language: str) -> str:
    """Return a turn in words, without its past if its events can't be read."""
    observation = turn["observation"]
    seats = len(observation["scores"])

    def read() -> tuple[Mapping[str, Any], Sequence[Mapping[str, Any]]]:
        referee = services.referee
        loaded = referee.look(turn["match"])
        if loaded.progress.turn != turn["turn"]:
            return loaded.config.options, ()
        try:
            start = referee.replays.before_deal(loaded, max(1, turn["deal"] - 1))
            return loaded.config.options, referee.events(loaded, turn["seat"], start, _MOST_EVENTS)
        except EventsNotReady:
            return loaded.config.options, ()

    # A move of this request may be made, and then its response must not fail.
    unread: tuple[Mapping[str, Any], Sequence[Mapping[str, Any]]] = ({}, ())
    options, events = services.after_commit.run(AfterCommitStep.VIEW, read, unread, committed=True)
    table = {"game": observation["game"], "seats": seats, "options": options}
    return turn_text(turn, table, events, language)
