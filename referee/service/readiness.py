"""Whether the service as a whole can play matches, and what is wrong with it if not.

Not ready: Redis does not answer or refuses writes, or no process of a kind (API, clock, worker) sends heartbeats; then
moves, timeouts or rounds stand still for everybody. A warning: one process among several is silent, or jobs wait long.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from referee.service.processes import Heartbeat, ProcessKind


class Thresholds(NamedTuple):
    """From when on something is worth telling."""

    silent_ms: int
    """A process whose last heartbeat is older counts as gone."""
    old_job_ms: int
    """A job that waits longer is a warning."""


class Vitals(NamedTuple):
    """What one API process knows of the service."""

    store_fault: str | None = None
    """Why Redis takes no writes; `None` while it does."""
    store_answers: bool = True
    heartbeats: Sequence[Heartbeat] = ()
    oldest_jobs: Mapping[str, int] = {}
    """By queue, for how many ms its oldest job has waited; 0 for an empty queue."""


class Readiness(NamedTuple):
    """How the service is. It is ready while there are no `problems`."""

    vitals: Vitals = Vitals()
    parts: Mapping[str, bool] = {}
    """Whether each part works."""
    problems: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def ready(self) -> bool:
        """Whether matches can be played."""
        return not self.problems

    def to_json(self) -> dict[str, Any]:
        """As it goes over the wire."""
        return {
            "ready": self.ready,
            "degraded": bool(self.problems or self.warnings),
            "parts": dict(self.parts),
            "problems": list(self.problems),
            "warnings": list(self.warnings),
            "heartbeats": {beat.process.name: beat.age_ms for beat in self.vitals.heartbeats},
            "oldest_jobs": dict(self.vitals.oldest_jobs),
        }


def judged(vitals: Vitals, thresholds: Thresholds, queue: str) -> Readiness:
    """What follows from these vitals. `queue` is the one whose jobs somebody waits for."""
    parts = {"redis": vitals.store_answers, "writes": vitals.store_fault is None}
    if vitals.store_fault is not None:
        # Heartbeats are kept in Redis: nothing new is known of them.
        return Readiness(vitals, parts, (vitals.store_fault,))
    problems: list[str] = []
    warnings: list[str] = []
    for kind in ProcessKind:
        mine = [beat for beat in vitals.heartbeats if beat.process.kind is kind]
        silent = [beat for beat in mine if beat.age_ms > thresholds.silent_ms]
        parts[kind.value] = any(_works(beat, thresholds) for beat in mine)
        told = [
            f"{beat.process.name} has been silent for {beat.age_ms / 1000:.1f} s"
            for beat in sorted(silent, key=lambda beat: beat.age_ms)
        ]
        if parts[kind.value]:
            warnings += told
        else:
            problems += told or [f"{kind}: no process " + ("serves yet" if mine else "has sent a heartbeat")]
    waits = vitals.oldest_jobs.get(queue, 0)
    if waits > thresholds.old_job_ms:
        warnings.append(f"the oldest job of the queue {queue} has waited for {waits / 1000:.1f} s")
    return Readiness(vitals, parts, tuple(problems), tuple(warnings))


def _works(beat: Heartbeat, thresholds: Thresholds) -> bool:
    age = beat.served_ms_ago if beat.process.kind is ProcessKind.API else beat.age_ms
    return age is not None and age <= thresholds.silent_ms
