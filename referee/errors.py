"""The errors of the referee, besides refused moves (`records.errors`). The API derives its problem codes from them.

An error that is raised has changed nothing.
"""

from __future__ import annotations

from records.errors import RefereeError


class NoSuchMatch(RefereeError):
    """No match has this id."""

    code = "no_such_match"


class MatchUnreadable(RefereeError):
    """The match is damaged, or stored in a format that this release doesn't know."""

    code = "match_unreadable"


class NotYourMatch(RefereeError):
    """The bot has no seat in this match."""

    code = "not_your_match"


class MatchNotRunning(RefereeError):
    """The match has not started yet."""

    code = "match_not_running"


class SeatTaken(RefereeError):
    """The seat is not open."""

    code = "seat_taken"


class AlreadySeated(RefereeError):
    """The bot already has a seat in this match."""

    code = "already_seated"


class NotJoinable(RefereeError):
    """The match is no longer open."""

    code = "not_joinable"


class RecordNotReady(RefereeError):
    """The match isn't over, so its record can't be read yet."""

    code = "record_not_ready"


class EventsNotReady(RefereeError):
    """The events are far inside a long match, which the service is still replaying. The client may retry."""

    code = "events_not_ready"


class GroupRunning(RefereeError):
    """Only its seats may see the match, because its duplicate group isn't over."""

    code = "group_running"


class NoSuchGroup(RefereeError):
    """No duplicate group has this id."""

    code = "no_such_group"


class Busy(RefereeError):
    """Other writers were faster too many times, or Redis failed after a part of the request. The client may retry."""

    code = "busy"


class BadCursor(RefereeError):
    """The cursor was not issued by this service."""

    code = "bad_cursor"


class ServicePaused(RefereeError):
    """The service is paused and creates nothing new."""

    code = "service_paused"


class StorageFull(RefereeError):
    """The store keeps its last space for running matches, so nothing new is created."""

    code = "storage_full"


class ServiceDraining(RefereeError):
    """The service is draining and creates nothing new."""

    code = "service_draining"
