"""What organisers change of a ladder, as steps from one ladder to the next. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from engine.quoting import quoted
from league.accounts.model import HOUSE
from league.errors import BadValue, RoundRunning, WrongLadderState
from league.ladders.model import NEXT_STATES, TAKES_ENTRIES, Ladder, LadderState
from league.ladders.settings import BEFORE_PLAY, BETWEEN_ROUNDS, WHILE_OPEN
from league.pairing.plan import DeckMode
from records.instants import text_of


class PlayedRounds(NamedTuple):
    last: int
    """The number of the last round, or 0."""
    under_way: int | None
    """The number of a round under way."""


LadderStep = Callable[[Ladder, PlayedRounds], Ladder]
"""Returns the ladder with a change. Raises an error of the league if its state or its rounds do not allow this."""


def settings_step(changes: Mapping[str, Any], now: int) -> LadderStep:
    """Return the change of these settings, by the fields of `LadderSettings`. `league.ladders.settings` says which may
    change when."""

    def step(ladder: Ladder, played: PlayedRounds) -> Ladder:
        settings = ladder.settings
        if changes.get("game", ladder.game) != ladder.game:
            if played.last:
                raise _fixed("game", ladder.game, changes["game"])
            settings = replace(settings, options={}, deals=None)
        after = replace(ladder, **vars(replace(settings, **changes).checked(now)))
        changed = {name for name in changes if getattr(after, name) != getattr(ladder, name)}
        if changed & (WHILE_OPEN | BETWEEN_ROUNDS | BEFORE_PLAY) and ladder.state not in TAKES_ENTRIES:
            raise WrongLadderState(f"the ladder is {ladder.state}", state=ladder.state.value)
        if after.freeze is not None and after.decks is DeckMode.INDEPENDENT:
            raise BadValue("decks", after.decks, "rotated or once_only while a freeze is set")
        if not changed & (BETWEEN_ROUNDS | BEFORE_PLAY):
            return after
        if played.under_way is not None:
            raise RoundRunning(
                f"{min(changed & (BETWEEN_ROUNDS | BEFORE_PLAY))} can't change while round {played.under_way} is "
                f"under way; pause the ladder and wait for its end",
                round=played.under_way,
            )
        if played.last:
            _check_played(ladder, after, changed, played.last)
        return replace(after, revision=ladder.revision + 1)

    return step


def _check_played(before: Ladder, after: Ladder, changed: set[str], last_round: int) -> None:
    """Raise `BadValue` for a change that concerns rounds which have been played."""
    for name in sorted(changed & BEFORE_PLAY):
        raise _fixed(name, getattr(before, name), getattr(after, name))
    old, new = before.parameters, after.parameters
    for name in sorted(old.keys() | new.keys()):
        if old.get(name) != new.get(name) and name not in before.format_class.adjustable:
            raise _fixed(name, old.get(name), new.get(name))
    opened = 1 + last_round - before.season_first
    if new.get("rounds", opened) < opened:
        raise BadValue("rounds", new["rounds"], f"at least {opened}, the rounds that the season has")


def _fixed(name: str, old: object, new: object) -> BadValue:
    return BadValue(name, new, f"{quoted(old)}, which is fixed since the first round")


def freeze_step(at: int | None, now: int) -> LadderStep:
    """Return the change to a freeze from this instant on, or to none. Raise `BadValue` for an instant in the past, for
    another instant during a freeze, and for independent decks, whose matches everybody sees live."""

    def step(ladder: Ladder, _: PlayedRounds) -> Ladder:
        if at is None:
            return replace(ladder, freeze=None)
        if ladder.is_frozen(now):
            raise BadValue("from", text_of(at), "a release first, since the ladder is frozen")
        if at < now:
            raise BadValue("from", text_of(at), f"an instant that is not past; now it is {text_of(now)}")
        if ladder.decks is DeckMode.INDEPENDENT:
            raise BadValue("decks", ladder.decks, "rotated or once_only, whose tables only their seats see")
        if ladder.state not in TAKES_ENTRIES:
            raise WrongLadderState(f"the ladder is {ladder.state}", state=ladder.state.value)
        return replace(ladder, freeze=at)

    return step


def organisers_step(organisers: Collection[str]) -> LadderStep:
    """Return the change of the co-organisers to these owners. The ladder's owner always is an organiser. Raise
    `BadValue` for the house, for which nobody acts."""
    if HOUSE in organisers:
        raise BadValue("organisers", HOUSE, "owners other than the house")
    return lambda ladder, _: replace(ladder, organisers=tuple(sorted({*organisers} - {ladder.owner})))


def state_step(state: str) -> LadderStep:
    """Return the change to this state. The current state again is no change. Raise `BadValue`."""
    if state not in list(LadderState):
        raise BadValue("state", state, "one of " + ", ".join(LadderState))

    def step(ladder: Ladder, _: PlayedRounds) -> Ladder:
        if ladder.state == state or (state, ladder.state) == (LadderState.CLOSING, LadderState.CLOSED):
            return ladder
        possible = NEXT_STATES[ladder.state]
        if state not in possible or (state == LadderState.CLOSED and ladder.state is LadderState.CLOSING):
            states = ", ".join(sorted(possible)) or "nothing else"
            raise WrongLadderState(
                f"a ladder that is {ladder.state} can become {states}", state=ladder.state.value
            )
        return replace(ladder, state=LadderState(state))

    return step
