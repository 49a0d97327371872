"""Published results: the places with which a season ended, and each correction of them, as versions that stay readable.

The first version is what the season had when its last match was counted, or when its format was complete. A void
match, a rerun, a disqualification, a ban or a decision of an organiser that changes the result afterwards makes a new
version, with who did it and why.

kozyr:{ladder:ID}:results:S  list  the versions of the result of season S (JSON), the first one first
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

import orjson

from league.accounts.model import Bot
from league.errors import BadValue
from league.ladders.due import each_due, report_again
from league.ladders.model import RESULTS, Ladder, LadderState, Season
from league.ladders.seasons import Seasons
from league.ladders.service import Ladders
from records.match.loaded_match import LoadedMatch

PUBLISHED: Final = "published"
RERUN: Final = "rerun"
"""Matches are played again."""
REPLAYED: Final = "replayed"
"""A correction was played to its end."""
RECOUNTED: Final = "recounted"
"""Matches were counted late."""


MOST_VERSIONS: Final = 100


class PublishedPlace(NamedTuple):
    """An entry in a published result."""

    place: int | None
    """`None` for a bot that is out of the places."""
    bot: str
    """The bot's id."""
    name: str
    score: float | None
    deals: int
    points_per_deal: float | None
    out: str | None
    won: bool


class ResultVersion(NamedTuple):
    version: int
    """From 1."""
    at: int
    action: str
    """`published`, or what corrected the version before."""
    by: str
    """The owner or admin who corrected it; empty for the service."""
    reason: str
    complete: bool
    """Whether every place is decided. If not, matches are played again, or meetings of a bracket are open."""
    places: Sequence[PublishedPlace]

    @property
    def winners(self) -> Sequence[PublishedPlace]:
        return [each for each in self.places if each.won] if self.complete else ()


Report = Callable[[Ladder, int, ResultVersion], None]


class PublishedResults:
    """The published results of ladders. Safe to share between greenlets and threads."""

    def __init__(self, ladders: Ladders, seasons: Seasons, *, report: Report) -> None:
        """`report` takes new versions, maybe more than once, with their ladder and the number of the season."""
        self._ladders, self._store, self._seasons, self._report = ladders, ladders.store, seasons, report
        self._correcting: Counter[tuple[str, int]] = Counter()
        """The results that this process is correcting, of which `correction` makes the next version."""

    def versions(self, ladder_id: str, number: int) -> Sequence[ResultVersion]:
        """Return the last `MOST_VERSIONS` versions of a season's result, the latest last; none before it is over. Raise
        `NoSuchSeason` or `NoSuchLadder`."""
        self.publish(ladder_id, number)
        names = {entry.bot: entry.name for entry in self._store.entries(ladder_id)}
        stored = self._store.result_versions(ladder_id, number, MOST_VERSIONS)
        return [_version(raw, names) for raw in stored]

    def replace_names(self, ladder: Ladder, in_words: Callable[[str], str]) -> None:
        """Store the texts of all versions of a ladder's results as `in_words` has them."""

        def rewritten(raw: bytes) -> bytes:
            data: dict[str, Any] = orjson.loads(raw)
            places = [PublishedPlace(*each) for each in data["places"]]
            renamed = [list(each._replace(out=each.out and in_words(each.out))) for each in places]
            return orjson.dumps(
                {**data, "by": in_words(data["by"]), "reason": in_words(data["reason"]), "places": renamed}
            )

        for number in range(1, ladder.season + 1):
            self._store.rewrite_results(ladder.id, number, rewritten)

    def is_complete(self, season: Season) -> bool:
        """Return whether the season is over. After a correction its bracket must be decided too."""
        return self._seasons.is_over(season) and (
            self._is_decided(season) or self._store.result_count(season.ladder, season.number) < 2
        )

    def publish(self, ladder_id: str, number: int) -> None:
        """Store the result of a season that is over, if it has changed since its last version."""
        if not self._correcting[ladder_id, number]:
            self._append(ladder_id, number, RECOUNTED, "", "")

    def on_readable(self, groups: Sequence[Sequence[LoadedMatch]]) -> None:
        """Publish the results of past seasons that these matches belong to."""
        of_ladders = {(each.config.ladder, each.config.season) for matches in groups for each in matches}
        for ladder_id, season in sorted((a, b) for a, b in of_ladders if a is not None and b is not None):
            ladder = self._store.ladder(ladder_id)
            if ladder is not None and (season < ladder.season or ladder.state is LadderState.CLOSED):
                self.publish(ladder_id, season)

    @contextmanager
    def correction(
        self, ladder_id: str, seasons: Sequence[int], action: str, by: str, reason: str
    ) -> Iterator[None]:
        """Make a new version of each of these results that the block changes."""
        for number in seasons:
            report_again(self._store, ladder_id, number)
            self.publish(ladder_id, number)
        results = [(ladder_id, number) for number in seasons]
        self._correcting.update(results)
        try:
            yield
        finally:
            self._correcting.subtract(results)
        for number in seasons:
            self._append(ladder_id, number, action, by, reason)

    def tick(self, most: int = 100) -> int:
        """Publish and report again the results that are due. Several processes may call it at once. Return their
        number."""
        return each_due(self._store, RESULTS, most, self._due)

    def _due(self, about: str, due: int, now: int) -> None:
        ladder_id, number, *due_version = about.split(" ")
        ladder = self._store.ladder(ladder_id)
        if ladder is not None:
            for version in self.versions(ladder_id, int(number)):
                if due_version == [str(version.version)]:
                    self._report(ladder, int(number), version)
        self._store.move_due(RESULTS, about, due, None)

    def decide(self, ladder_id: str, number: int, bot: Bot) -> None:
        """Let this bot go on from the undecided meeting of a season's bracket that it belongs to.

        Raise `NoSuchSeason`, or `BadValue` if there is no such meeting, or it can still be played.
        """
        ladder, season = self._ladders.get(ladder_id), self._seasons.get(ladder_id, number)
        if season.ended is None and ladder.state is not LadderState.CLOSED:
            raise BadValue("season", number, "a season that has ended; in the present one a round decides")
        bracket = self._ladders.bracket(ladder, number)
        nodes = [] if bracket is None else [node for stage in bracket.stages for node in stage.nodes]
        tables = (frozenset(each.id for each in node.table) for node in nodes if node.through is None)
        table = next((each for each in tables if bot.id in each), None)
        if table is None:
            raise BadValue("bot", bot.full_name, "a bot of an undecided meeting of the season's bracket")
        walkovers = {**(season.walkovers or {}), table: table - {bot.id}}
        if season.ended is None:
            self._ladders.set_walkovers(ladder_id, walkovers)
        else:
            self._store.put_season(season._replace(walkovers=walkovers))

    def _append(self, ladder_id: str, number: int, action: str, by: str, reason: str) -> None:
        season = self._seasons.get(ladder_id, number)
        count = self._store.result_count(ladder_id, number)
        stored = self._store.result_versions(ladder_id, number, 1)
        is_over = self._seasons.is_over(season)
        if not stored and not is_over:
            return
        names = {entry.bot: entry.name for entry in self._store.entries(ladder_id)}
        last = _version(stored[-1], names) if stored else None
        complete = is_over and (last is None or self._is_decided(season))
        places = [
            PublishedPlace(
                *(each.place, each.bot, each.name, each.rank.values[0]),
                *(each.line.deals, each.line.points_per_deal),
                each.rank.entry.out,
                each.rank.won,
            )
            for each in self._ladders.standings(ladder_id, number, with_idle=False)
        ]
        # The version that is replayed has the author and the reason of this one, even if it is incomplete already.
        explains = action == RERUN and not complete
        if last is None:
            action, by, reason = PUBLISHED, "", ""
        elif (complete, places) == (last.complete, last.places) and (
            not explains or (action, by, reason) == (last.action, last.by, last.reason)
        ):
            return
        elif action == RECOUNTED and not last.complete:
            action, by, reason = REPLAYED, last.by, last.reason
        report_again(self._store, ladder_id, number, count + 1)
        new = ResultVersion(count + 1, self._store.now(), action, by, reason, complete, places)
        # Names may change, so a version holds ids.
        raw = orjson.dumps({**new._asdict(), "places": [list(each._replace(name="")) for each in places]})
        if self._store.add_result(ladder_id, number, raw, count):
            self._report(self._ladders.get(ladder_id), number, new)

    def _is_decided(self, season: Season) -> bool:
        bracket = self._ladders.bracket(self._ladders.get(season.ladder), season.number)
        return bracket is None or bracket.winner is not None


def _version(raw: bytes, names: Mapping[str, str]) -> ResultVersion:
    data: dict[str, Any] = orjson.loads(raw)
    places = [PublishedPlace(*each) for each in data["places"]]
    named = [each._replace(name=names.get(each.bot, each.bot)) for each in places]
    return ResultVersion(**{**data, "places": named})
