"""Errors of the league. Each refusal is an exception class that appears once.

The API derives its problem codes and statuses from these classes. A refused operation has changed nothing.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Any, ClassVar

from engine.quoting import quoted


class LeagueError(Exception):
    """Base class. `code` is stable and public; `details` helps the caller to go on (JSON-ready)."""

    code: ClassVar[str]

    def __init__(self, message: str, **details: Any) -> None:
        super().__init__(message)
        self.details: Mapping[str, Any] = details


class BadValue(LeagueError):
    """A refused value. `field`, `value` and `expected` name the field, its value and what is accepted."""

    code = "bad_value"

    def __init__(self, field: str, value: object, expected: str) -> None:
        super().__init__(
            f"{field}: {quoted(value)} is refused; expected: {expected}", field=field, expected=expected
        )
        self.field, self.value, self.expected = field, value, expected


class NameTaken(LeagueError):
    """Another owner or bot has the name, or the name is reserved."""

    code = "name_taken"


class NoSuchOwner(LeagueError):
    """No owner has this id or name."""

    code = "no_such_owner"


class NoSuchBot(LeagueError):
    """No bot has this id or name."""

    code = "no_such_bot"


class NoSuchToken(LeagueError):
    """No valid token has this id."""

    code = "no_such_token"


class NoSuchCheck(LeagueError):
    """No stored conformance check has this id."""

    code = "no_such_check"


class NotYourBot(LeagueError):
    """The bot belongs to another owner."""

    code = "not_your_bot"


class NotYourLadder(LeagueError):
    """The ladder belongs to another owner."""

    code = "not_your_ladder"


class NotYourToken(LeagueError):
    """The token belongs to another owner."""

    code = "not_your_token"


class ScopeMissing(LeagueError):
    """The token lacks `scope`."""

    code = "scope_missing"


class WrongTokenKind(LeagueError):
    """The token has a kind other than the `expected` one."""

    code = "wrong_token_kind"


class BadInvitation(LeagueError):
    """Registration requires an invitation, and the code is missing, unknown, used or expired."""

    code = "bad_invitation"


class KeyReused(LeagueError):
    """The idempotency key was used for another request."""

    code = "idempotency_key_reused"


class KeyInFlight(LeagueError):
    """The first request with this idempotency key is still running; `retry_ms` says when to retry."""

    code = "idempotency_key_in_flight"


class NoSuchLadder(LeagueError):
    """No ladder has this id."""

    code = "no_such_ladder"


class NoSuchRound(LeagueError):
    """The ladder has no round with this number."""

    code = "no_such_round"


class NoSuchSeason(LeagueError):
    """The ladder has no season with this number."""

    code = "no_such_season"


class NoBracket(LeagueError):
    """The ladder is not a knock-out."""

    code = "no_bracket"


class SeasonEmpty(LeagueError):
    """The season can't end, since it has no round. `season` is its number."""

    code = "season_empty"


class WrongLadderState(LeagueError):
    """The ladder's state does not allow this; `state` is its state."""

    code = "wrong_ladder_state"


class EntryReason(enum.StrEnum):
    """Why a bot can't be entered or withdrawn, besides the reasons of `BotUnavailable`."""

    SUSPENDED = "suspended"
    UNCHECKED = "unchecked"
    """The ladder requires a conformance check."""
    FULL = "full"
    SAME_OWNER = "same_owner"
    """The ladder has one table, with another bot of the owner."""
    BANNED = "banned"
    CLOSED = "closed"
    """Only the ladder's owner enters bots."""
    NOT_INVITED = "not_invited"
    NOT_ENTERED = "not_entered"


class EntryRefused(LeagueError):
    """The bot can't be entered or withdrawn; `reason` says why, and `why` a ban."""

    code = "entry_refused"


class RoundRunning(LeagueError):
    """Another round of the ladder is under way; `round` is its number."""

    code = "round_running"


class NothingToPlay(LeagueError):
    """The entries fill no table: there are too few, or every table would seat bots of one owner together."""

    code = "nothing_to_play"


class BotUnavailable(LeagueError):
    """The bot can't be seated; `bot`, `reason` and `match_policy` say which bot, why, and what it accepts."""

    code = "bot_unavailable"


class NotQueued(LeagueError):
    """The bot has no entry in the queue, and had none within the last day."""

    code = "not_queued"


class AlreadyQueued(LeagueError):
    """The bot waits in the queue for other terms; `entry` is its entry."""

    code = "already_queued"


class NoSuchWebhook(LeagueError):
    """The owner has no webhook with this id."""

    code = "no_such_webhook"


class NoSuchMessage(LeagueError):
    """The webhook's log has no message with this id."""

    code = "no_such_message"


class NoSuchReview(LeagueError):
    """Nobody has requested this review of the match, or it has expired."""

    code = "no_such_review"


class TooManyReviews(LeagueError):
    """Too many reviews of the owner, or of all owners, wait."""

    code = "too_many_reviews"


class TooManyHouseMatches(LeagueError):
    """`waiting` matches of the owner wait for house bots, and no more than `most` may."""

    code = "too_many_house_matches"


class NotRerunnable(LeagueError):
    """The match can't be replaced; the message says why."""

    code = "not_rerunnable"


class Overtaken(LeagueError):
    """Other writers changed the data too many times; the request may be retried."""

    code = "overtaken"
