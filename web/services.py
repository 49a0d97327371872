"""What the composition root passes to the site."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from flask import current_app

from web.compare import ComparedTables

if TYPE_CHECKING:
    from league.accounts.tokens import Token
    from league.container.league import LeagueContainer
    from records.match.frames import Frame
    from referee.service.readiness import Readiness


class ListCursor(Protocol):
    """The cursor of one request to a list."""

    @property
    def place(self) -> str | None:
        """The position after which the page begins, or `None`. Raises the API's refusal of an invalid cursor."""

    def then(self, place: str | None) -> str | None:
        """Return the text of the cursor for this position, or `None` at the end."""


class ListCursors(Protocol):
    """Seals and opens cursors, as the API does."""

    def of(self, name: str, query: Mapping[str, Any]) -> ListCursor:
        """Return the cursor in the query of the list `name`."""


class RequestCounter(Protocol):
    """Counts page requests against the limits of the API. Each method raises the API's refusal over a limit."""

    def anonymous(self) -> None:
        """Count a request without a session for the client's address."""

    def signed_in(self, token: Token) -> None:
        """Count a request of an owner."""

    def creation(self, token: Token) -> None:
        """Count what an owner creates."""

    def guest_creation(self) -> None:
        """Count a match or a shared replay of somebody who has not signed in, for the client's address."""

    def registration(self, *, invited: bool) -> None:
        """Count a new owner for the client's address, unless it has a valid invitation."""

    def bad_token(self) -> None:
        """Count an invalid token for the client's address."""


class SampleDeal(NamedTuple):
    """A deal that house bots played, with all hands."""

    seats: Sequence[str]
    """The names of the bots by seat."""
    frames: Sequence[Frame]


class Starter(NamedTuple):
    """A project with a bot."""

    title: str
    """The name of its language for people."""
    commands: str
    """What writes it and runs its bot, a command a line."""


class ErrorPage(NamedTuple):
    """A refusal or failure as an error page shows it."""

    status: int
    code: str
    title: str
    """What all refusals with this code have in common, in English; the catalogues translate it."""
    detail: str
    """What is wrong with this request."""
    retry_s: int | None = None
    details: Mapping[str, Any] = {}
    """The other members of the problem."""
    language: str = "en"
    """The language of `detail`."""


@dataclass(slots=True)
class Site:
    """What pages need besides the services of the league."""

    cursors: ListCursors
    counter: RequestCounter
    refusal: Callable[[Exception], ErrorPage]
    """Describes an exception as the API does."""
    readiness: Callable[[], Readiness]
    """Returns the readiness of the whole service."""
    request_id: Callable[[], str]
    """Returns the id of the current request, as the logs show it."""
    rules_text: Callable[[str, str], str | None]
    """Returns the rules of a game in a language, in Markdown."""
    sample_deal: Callable[[str], SampleDeal]
    """Returns the example deal of a game."""
    starters: Mapping[str, Starter]
    """The projects that `kozyr new-bot` writes, by the names of their languages."""
    behind_tls: bool = False
    """Whether all clients use HTTPS."""
    open_registration: bool = True
    compared: ComparedTables = field(default_factory=ComparedTables)


def site() -> Site:
    """Return what the pages of the current application need besides its services."""
    current: Site = current_app.extensions["kozyr-site"]
    return current


def services() -> LeagueContainer:
    """Return the services of the application that serves the current request."""
    current: LeagueContainer = current_app.extensions["kozyr-services"]
    return current
