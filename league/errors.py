"""Everything that the league refuses, each a named value that appears once.

The API derives its problem codes and statuses from these; nothing is changed when one is raised.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from engine.quoting import quoted


class LeagueError(Exception):
    """Base. `code` is stable and public; `details` says what is needed to go on (JSON-ready)."""

    code: ClassVar[str]

    def __init__(self, message: str, **details: Any) -> None:
        super().__init__(message)
        self.details: Mapping[str, Any] = details


class BadValue(LeagueError):
    """A value that is refused; `field`, `value` and `expected` say which, what and what would be right."""

    code = "bad_value"

    def __init__(self, field: str, value: object, expected: str) -> None:
        super().__init__(
            f"{field}: {quoted(value)} is refused; expected {expected}", field=field, expected=expected
        )
        self.field, self.value, self.expected = field, value, expected


class NameTaken(LeagueError):
    """The name belongs to somebody else already, or is reserved."""

    code = "name_taken"


class NoSuchOwner(LeagueError):
    """No owner has this id or name."""

    code = "no_such_owner"


class NoSuchBot(LeagueError):
    """No bot has this id or name."""

    code = "no_such_bot"


class NoSuchToken(LeagueError):
    """No living token has this id."""

    code = "no_such_token"


class NoSuchCheck(LeagueError):
    """No check that is kept has this id."""

    code = "no_such_check"


class BadInvitation(LeagueError):
    """Registration is by invitation, and the code is missing, unknown, used or expired."""

    code = "bad_invitation"


class KeyReused(LeagueError):
    """The idempotency key was used for another request."""

    code = "idempotency_key_reused"


class KeyInFlight(LeagueError):
    """The first request with this idempotency key is still being answered; `retry_ms` says when to come again."""

    code = "idempotency_key_in_flight"


class NoSuchLadder(LeagueError):
    """No ladder has this id."""

    code = "no_such_ladder"


class NoSuchRound(LeagueError):
    """The ladder has no round of this number."""

    code = "no_such_round"


class NoSuchSeason(LeagueError):
    """The ladder has no season of this number."""

    code = "no_such_season"


class NoBracket(LeagueError):
    """The ladder is no knock-out."""

    code = "no_bracket"


class SeasonEmpty(LeagueError):
    """The season can't end: no round of it was opened. `season` is its number."""

    code = "season_empty"


class WrongLadderState(LeagueError):
    """The ladder's state does not allow this; `state` is the state it is in."""

    code = "wrong_ladder_state"


class EntryRefused(LeagueError):
    """The bot can't be entered or withdrawn; the message says why."""

    code = "entry_refused"


class RoundRunning(LeagueError):
    """The ladder plays a round already; `round` is its number."""

    code = "round_running"


class NothingToPlay(LeagueError):
    """The entries make no table: too few of them, or all possible tables would seat bots of one owner together."""

    code = "nothing_to_play"


class BotUnavailable(LeagueError):
    """The bot can't be seated for this; `bot`, `reason` and `match_policy` say which, why, and what it accepts."""

    code = "bot_unavailable"


class NotRerunnable(LeagueError):
    """The match can't be played again; the message says why."""

    code = "not_rerunnable"


class Overtaken(LeagueError):
    """Other writers were faster too many times; the same request may be sent again."""

    code = "overtaken"
