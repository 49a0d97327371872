"""The errors of the referee, besides refused moves (`records.errors`). The API derives its problem codes from them.

An error that is raised has changed nothing.
"""

from __future__ import annotations

from records.errors import RefereeError


class NoSuchMatch(RefereeError):
    """No match has this id."""


class MatchUnreadable(RefereeError):
    """The match is damaged, or stored in a format that this release doesn't know."""


class NotYourMatch(RefereeError):
    """The bot has no seat in this match."""


class MatchNotRunning(RefereeError):
    """The match has not started yet."""


class SeatTaken(RefereeError):
    """The seat is not open."""


class AlreadySeated(RefereeError):
    """The bot already has a seat in this match."""


class NotJoinable(RefereeError):
    """The match is no longer open."""


class RecordNotReady(RefereeError):
    """The match isn't over, so its record can't be read yet."""


class EventsNotReady(RefereeError):
    """The events are far inside a long match, which the service is still replaying. The client may retry."""


class GroupRunning(RefereeError):
    """Only its seats may see the match, because its duplicate group isn't over."""


class NoSuchGroup(RefereeError):
    """No duplicate group has this id."""


class Busy(RefereeError):
    """Other writers were faster too many times, or Redis failed after a part of the request. The client may retry."""


class BadCursor(RefereeError):
    """The cursor was not issued by this service."""


class ServicePaused(RefereeError):
    """The service is paused and creates nothing new."""


class StorageFull(RefereeError):
    """The store keeps its last space for running matches, so nothing new is created."""


class ServiceDraining(RefereeError):
    """The service is draining and creates nothing new."""
