"""What an owner changes of a ladder, as steps from one ladder to the next. Pure."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from league.errors import BadValue, WrongLadderState
from league.ladders.model import NEXT_STATES, TAKES_ENTRIES, Ladder, LadderAccess, LadderState
from league.ladders.schedule import Continuous, Schedule, When, checked_schedule

LadderStep = Callable[[Ladder], Ladder]
"""Returns the ladder with a change. Raises an error of the league if its state does not allow this."""


class RoundTimes(NamedTuple):
    """When rounds start by themselves."""

    cron: str | Continuous | None
    """A cron expression, `Continuous` for rounds that follow one another, or `None`: by hand alone."""
    timezone: str = "UTC"

    def checked(self, now: int) -> When | None:
        if isinstance(self.cron, str):
            return checked_schedule(self.cron, self.timezone, now)
        return self.cron

    def step(self, now: int) -> LadderStep:
        """Return the change to this schedule. Raise `BadValue`."""
        schedule = self.checked(now)
        return lambda ladder: _unclosed(ladder)._replace(schedule=schedule)


class SeasonTimes(NamedTuple):
    """When seasons end by themselves."""

    cron: str | None
    """A cron expression, or `None`: by hand alone."""
    timezone: str = "UTC"

    def checked(self, now: int) -> Schedule | None:
        if self.cron is None:
            return None
        return checked_schedule(self.cron, self.timezone, now, "season_schedule")

    def step(self, now: int) -> LadderStep:
        """Return the change to this schedule. Raise `BadValue`."""
        schedule = self.checked(now)
        return lambda ladder: _unclosed(ladder)._replace(season_schedule=schedule)


def access_step(access: LadderAccess) -> LadderStep:
    """Return the change of who may enter bots. Entered bots stay."""
    return lambda ladder: ladder._replace(access=access)


def state_step(state: str) -> LadderStep:
    """Return the change to this state. The current state again is no change. Raise `BadValue`."""
    if state not in list(LadderState):
        raise BadValue("state", state, "one of " + ", ".join(LadderState))

    def step(ladder: Ladder) -> Ladder:
        if ladder.state == state or (state, ladder.state) == (LadderState.CLOSING, LadderState.CLOSED):
            return ladder
        possible = NEXT_STATES[ladder.state]
        if state not in possible or (state == LadderState.CLOSED and ladder.state is LadderState.CLOSING):
            states = ", ".join(sorted(possible)) or "nothing else"
            raise WrongLadderState(
                f"a ladder that is {ladder.state} can become {states}", state=ladder.state.value
            )
        return ladder._replace(state=LadderState(state))

    return step


def _unclosed(ladder: Ladder) -> Ladder:
    """Return a ladder whose schedules can change. Raise `WrongLadderState`."""
    if ladder.state not in TAKES_ENTRIES:
        raise WrongLadderState(f"the ladder is {ladder.state}", state=ladder.state.value)
    return ladder
