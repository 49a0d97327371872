"""Errors of the league. Each refusal is an exception class that appears once.

The API derives its problem codes and statuses from these classes. A refused operation has changed nothing.
"""

from __future__ import annotations

import enum

from engine.quoting import quoted
from records.errors import CodedError


class LeagueError(CodedError):
    """An error of the league."""


class BadValue(LeagueError):
    """A refused value. `field`, `value` and `expected` name the field, its value and what is accepted."""

    def __init__(self, field: str, value: object, expected: str) -> None:
        super().__init__(
            f"{field}: {quoted(value)} is refused; expected: {expected}", field=field, expected=expected
        )
        self.field, self.value, self.expected = field, value, expected


class NameTaken(LeagueError):
    """Another owner or bot has the name, or the name is reserved."""


class NoSuchOwner(LeagueError):
    """No owner has this id or name."""


class NoSuchBot(LeagueError):
    """No bot has this id or name."""


class NoSuchToken(LeagueError):
    """No valid token has this id."""


class NoSuchCheck(LeagueError):
    """No stored conformance check has this id."""


class NotYourBot(LeagueError):
    """The bot belongs to another owner."""


class NotYourLadder(LeagueError):
    """The ladder belongs to another owner."""


class NotYourToken(LeagueError):
    """The token belongs to another owner."""


class ScopeMissing(LeagueError):
    """The token lacks `scope`."""


class WrongTokenKind(LeagueError):
    """The token has a kind other than the `expected` one."""


class BadInvitation(LeagueError):
    """Registration requires an invitation, and the code is missing, unknown, used or expired."""


class KeyReused(LeagueError, code="idempotency_key_reused"):
    """The idempotency key was used for another request."""


class KeyInFlight(LeagueError, code="idempotency_key_in_flight"):
    """The first request with this idempotency key is still running; `retry_ms` says when to retry."""


class NoSuchLadder(LeagueError):
    """No ladder has this id."""


class NoSuchRound(LeagueError):
    """The ladder has no round with this number."""


class NoSuchSeason(LeagueError):
    """The ladder has no season with this number."""


class NoBracket(LeagueError):
    """The ladder is not a knock-out."""


class SeasonEmpty(LeagueError):
    """The season can't end, since it has no round. `season` is its number."""


class WrongLadderState(LeagueError):
    """The ladder's state does not allow this; `state` is its state."""


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
    """Only the ladder's organisers enter bots."""
    NOT_INVITED = "not_invited"
    NOT_ENTERED = "not_entered"


class EntryRefused(LeagueError):
    """The bot can't be entered or withdrawn; `reason` says why, and `why` a ban."""


class RoundRunning(LeagueError):
    """Another round of the ladder is under way; `round` is its number."""


class NothingToPlay(LeagueError):
    """The entries fill no table: there are too few, or every table would seat bots of one owner together."""


class BotUnavailable(LeagueError):
    """The bot can't be seated; `bot`, `reason` and `match_policy` say which bot, why, and what it accepts."""


class NotQueued(LeagueError):
    """The bot has no entry in the queue, and had none within the last day."""


class AlreadyQueued(LeagueError):
    """The bot waits in the queue for other terms; `entry` is its entry."""


class NoSuchWebhook(LeagueError):
    """The owner has no webhook with this id."""


class NoSuchMessage(LeagueError):
    """The webhook's log has no message with this id."""


class NoSuchReview(LeagueError):
    """Nobody has requested this review of the match, or it has expired."""


class TooManyReviews(LeagueError):
    """Too many reviews of the owner, or of all owners, wait."""


class TooManyHouseMatches(LeagueError):
    """`waiting` matches of the owner wait for house bots, and no more than `most` may."""


class NotRerunnable(LeagueError):
    """The match can't be replaced; the message says why."""


class Overtaken(LeagueError):
    """Other writers changed the data too many times; the request may be retried."""
