"""The luck of the cards in standings: reckoned by jobs when groups are over, and kept as sums.

A **unit** is a duplicate group, or a match of none. The script that counts one of its matches, or takes one back,
takes its luck out of the sums and has it wait. A job plays the baselines of its decks (`league.results.luck`), 16
playouts a deal, and adds what comes of it, once; a unit that changed meanwhile waits on. So what is adjusted lags
behind what is counted, and says how many deals it covers. Where too many wait (lua/luck.lua), those that come are
left out for good.

By how much decks usually differ is known from a thousand of them for each kind of deal, which takes far longer than a
job may; it is reckoned in parts, which are kept for all ladders.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from engine.game import Game, Refusal
from league.ladders.store import LUCK, LadderStore, LuckStore
from league.results.group_result import is_spoilt, played_of
from league.results.group_statistics import Estimate
from league.results.luck import Baseline, deals_of, figures_of, fold_of, kind_of
from league.results.record_fields import Record
from referee.groups.service import Groups
from referee.match.loaded_match import LoadedMatch
from referee.referee import Referee

log = logging.getLogger(__name__)

AT_ONCE: Final = 64
"""How many units a job takes at most."""
PART: Final = 20
"""So many decks make a part."""
LOOK_MS: Final = 1_000
"""How often a ladder is looked at in which units wait."""

Wake = Callable[[str], None]
"""Have a ladder worked on soon. A wake-up for the same one may be left out while one waits."""


class AdjustedPoints:
    """See the module. Safe to share between greenlets and threads."""

    def __init__(
        self,
        store: LuckStore,
        ladders: LadderStore,
        referee: Referee,
        groups: Groups,
        baseline: Baseline,
        mark: str,
        wake: Wake = lambda ladder: None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """`mark` changes with the house bots that play the baselines."""
        self._store, self._ladders, self._referee, self._groups = store, ladders, referee, groups
        self._baseline, self._mark, self._wake, self._monotonic = baseline, mark, wake, monotonic

    def adjusted(self, ladder: str, season: int, bots: Sequence[str]) -> Mapping[str, Estimate]:
        """By bot its points per deal less luck, with the deals and groups that this covers; of those whose luck is
        known."""
        found = zip(bots, self._store.adjusted(ladder, season, bots), strict=True)
        return {bot: estimate for bot, estimate in found if estimate is not None}

    def tick(self, most: int = 100) -> int:
        """Have somebody work on each ladder in which units wait; safe to do by several at once. Returns the number of
        ladders that were looked at."""
        now, due = self._ladders.due(LUCK, most)
        for ladder, at in due:
            waits = self._store.wait(ladder)
            if waits:
                self._wake(ladder)
            self._ladders.move_due(LUCK, ladder, at, now + LOOK_MS if waits else None)
        return len(due)

    def work(self, ladder: str, budget_s: float = 0.5) -> bool:
        """Reckon the luck of what waits in a ladder, for about so long. What is known of a unit whose luck is not all
        known then is remembered. Returns whether there is more to do."""
        until = self._monotonic() + budget_s
        for unit, stamp in self._store.waiting(ladder, AT_ONCE).items():
            lives = self._counted(unit)
            lines: dict[str, tuple[int, ...]] | None = {}
            try:
                lines = self._lines(lives, until)
            except Refusal:
                # A record of it is broken: the others' luck is not to wait for its.
                log.exception("ladder %s: the luck of %s can't be reckoned and is left out", ladder, unit)
            if lines is None:
                return True
            season = lives[0].config.season or 1 if lives else 1
            self._store.put(ladder, season, unit, stamp, fold_of(unit), sorted(lines.items()))
            if self._monotonic() >= until:
                break
        return self._store.wait(ladder)

    def _lines(self, lives: Sequence[LoadedMatch], until: float) -> dict[str, tuple[int, ...]] | None:
        """By bot, what the matches of a unit add; `None` if time was up before all of it was reckoned. Raises what the
        rules refuse."""
        records = [self._referee.record(live).to_json() for live in lives]
        for record in records:
            for _ in self._reckoned(record):
                if self._monotonic() >= until:
                    return None
        lines: dict[str, tuple[int, ...]] = {}
        for live, record in zip(lives, records, strict=True):
            compared = None if live.config.group is None else live.config.group.compared
            for seat, (bot, figures) in enumerate(figures_of(record, self._baseline.luck(record))):
                if compared in (None, seat):
                    before = lines.get(bot, (0,) * len(figures))
                    lines[bot] = tuple(map(sum, zip(before, figures, strict=True)))
        return lines

    def _counted(self, unit: str) -> list[LoadedMatch]:
        """The matches of a unit that count."""
        (group,) = self._groups.store.groups([unit])
        ids = [unit] if group is None else self._groups.matches(group)
        lives = [live for live in self._referee.look_at(ids) if live is not None and live.finished]
        if is_spoilt(lives):
            return []
        return [live for live in lives if played_of(live) is not None]

    def _reckoned(self, record: Record) -> Iterator[None]:
        """Play what the luck of a match follows from and is not known; each step is a piece of it."""
        for game, deal in deals_of(record):
            if not self._baseline.knows_usual(game, deal.number):
                yield from self._reckoned_usual(game, deal.number)
            if not self._baseline.knows(game, deal):
                self._baseline.made(game, deal)
                yield

    def _reckoned_usual(self, game: Game, number: int) -> Iterator[None]:
        kind, decks = f"{self._mark} {kind_of(game, number)}", self._baseline.decks
        parts = [range(first, min(first + PART, decks)) for first in range(0, decks, PART)]
        total = 0
        for number_of_part, (part, known) in enumerate(
            zip(parts, self._store.usual(kind, len(parts)), strict=True)
        ):
            slants = known
            if slants is None:
                slants = self._baseline.usual(game, number, part)
                self._store.put_usual(kind, number_of_part, slants)
                yield
            total += slants
        self._baseline.tell_usual(game, number, total)
