"""Readiness: whether the service as a whole can play matches, and what is wrong if it can't.

The service isn't ready if Redis doesn't answer or refuses writes, or if no process of a kind (API, clock, worker) sends
heartbeats. Then moves, timeouts or rounds stop for everybody. One silent process among several, or jobs that wait long,
are warnings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from referee.service.processes import Heartbeat, ProcessKind
from referee.service.state import Space

SPACE_WARNINGS: Final[Mapping[Space, tuple[str, ...]]] = {
    Space.SCARCE: ("storage_full: matches are played to their end, and nothing new is created",),
    Space.LAST: ("storage_full: only moves in running matches are accepted",),
}


class Thresholds(NamedTuple):
    """Limits beyond which the report mentions something."""

    silent_ms: int
    """The age in ms at which the last heartbeat makes a process count as gone."""
    old_job_ms: int
    """The wait in ms after which a job causes a warning."""


class KnownState(NamedTuple):
    """What one API process knows of the service."""

    store_fault: str | None = None
    """Why Redis accepts no writes; `None` while it does."""
    store_answers: bool = True
    heartbeats: Sequence[Heartbeat] = ()
    warnings: tuple[str, ...] = ()
    """What is wrong with the settings and the space."""
    league_fault: str | None = None
    """Why Redis is not that of this service; `None` if it is."""
    oldest_jobs: Mapping[str, int] = {}
    """By queue, how long its oldest job has waited, in ms; 0 for an empty queue."""


class Readiness(NamedTuple):
    """The readiness of the service. It is ready while there are no `problems`."""

    vitals: KnownState = KnownState()
    parts: Mapping[str, bool] = {}
    """Whether each part works."""
    problems: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def ready(self) -> bool:
        """Whether matches can be played."""
        return not self.problems

    def to_json(self) -> dict[str, Any]:
        return {
            "ready": self.ready,
            "degraded": bool(self.problems or self.warnings),
            "parts": dict(self.parts),
            "problems": list(self.problems),
            "warnings": list(self.warnings),
            "heartbeats": {beat.process.name: beat.age_ms for beat in self.vitals.heartbeats},
            "oldest_jobs": dict(self.vitals.oldest_jobs),
        }


def judged(vitals: KnownState, thresholds: Thresholds, queue: str) -> Readiness:
    """Return the readiness for these vitals. `queue` is the queue whose jobs must not wait long."""
    parts = {"redis": vitals.store_answers, "writes": vitals.store_fault is None}
    if vitals.store_fault is not None:
        # Heartbeats are in Redis, so nothing new is known about them.
        return Readiness(vitals, parts, (vitals.league_fault or vitals.store_fault,), vitals.warnings)
    problems = [] if vitals.league_fault is None else [vitals.league_fault]
    warnings = list(vitals.warnings)
    for kind in ProcessKind:
        mine = [beat for beat in vitals.heartbeats if beat.process.kind is kind]
        silent = [beat for beat in mine if beat.age_ms > thresholds.silent_ms]
        parts[kind.value] = any(_works(beat, thresholds) for beat in mine)
        silences = [
            f"{beat.process.name} has been silent for {beat.age_ms / 1000:.1f} s"
            for beat in sorted(silent, key=lambda beat: beat.age_ms)
        ]
        if parts[kind.value]:
            warnings += silences
        else:
            problems += silences or [
                f"{kind}: no process " + ("serves yet" if mine else "has sent a heartbeat")
            ]
    waits = vitals.oldest_jobs.get(queue, 0)
    if waits > thresholds.old_job_ms:
        warnings.append(f"the oldest job of the queue {queue} has waited for {waits / 1000:.1f} s")
    return Readiness(vitals, parts, tuple(problems), tuple(warnings))


def _works(beat: Heartbeat, thresholds: Thresholds) -> bool:
    age = beat.served_ms_ago if beat.process.kind is ProcessKind.API else beat.age_ms
    return age is not None and age <= thresholds.silent_ms
