"""Matches of house bots that are played in this process: a single job needs no second one for bots that never fail."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from bots.house import HOUSE_BOTS
from kozyr.local.match import LocalResult, play
from kozyr.local.plan import Fixture, LocalPlan


class Inline:
    """Plays in this process, as `kozyr.local.workers.Workers` does in others."""

    def __init__(self, plan: LocalPlan, *, whole: bool) -> None:
        """`whole` is that of `play`."""
        self._plan, self._whole = plan, whole

    def __enter__(self) -> Inline:
        return self

    def __exit__(self, *why: object) -> None:
        """Do nothing: no match is under way between two results."""

    def play(self, fixtures: Iterable[Fixture], stop: Callable[[], bool]) -> Iterator[LocalResult]:
        """Yield these matches in order until `stop` returns true."""
        for fixture in fixtures:
            if stop():
                return
            yield play(self._plan, fixture, HOUSE_BOTS, {}, whole=self._whole)

    def left(self) -> list[LocalResult]:
        """Return the finished matches that were held back: none."""
        return []
