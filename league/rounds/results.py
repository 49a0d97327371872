"""What the rounds of a season hold for its ranking and for the next pairing (`league.pairing.formats.ranking`)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

from league.ladders.model import Ladder, Round, RoundState
from league.pairing.formats.bracket import Bracket
from league.pairing.formats.ranking import SeasonMeeting, SeasonResults, SeasonRound
from league.pairing.plan import DeckMode
from league.rounds.context import RoundContext, RoundPart
from league.rounds.planned_matches import PlannedMatches
from records.results.group_result import GroupResult


class SeasonRounds(RoundPart):
    def __init__(
        self, context: RoundContext, tables: PlannedMatches, bracket: Callable[[str, int], Bracket]
    ) -> None:
        """`bracket` returns the bracket of a knock-out ladder in a season."""
        super().__init__(context)
        self._tables, self._bracket = tables, bracket

    def results(self, ladder: Ladder, season: int) -> SeasonResults:
        """Return what the ladder's format needs to rank this season, without its entries."""
        format_ = ladder.format_class
        if format_.has_bracket:
            return SeasonResults(bracket=self._bracket(ladder.id, season))
        if not format_.uses_results or format_.overlaps_rounds:
            return SeasonResults()
        outcomes = self._store.outcomes(ladder.id, season)
        numbers = self._ladders.rounds_of(self._ladders.season(ladder, season))
        rounds = self.rounds(ladder, numbers, outcomes)
        return SeasonResults((), rounds, outcomes, deals=ladder.group_deals)

    def rounds(
        self, ladder: Ladder, numbers: Sequence[int], outcomes: Sequence[GroupResult]
    ) -> list[SeasonRound]:
        """Return the rounds with these numbers, without those that came to nothing, for a format that needs them."""
        if not ladder.format_class.ranks_meetings:
            return []
        results = {outcome.id: outcome for outcome in outcomes}
        return [
            SeasonRound(
                round_.number,
                tuple(each.id for each in round_.entrants),
                self._meetings(ladder, round_, results),
                round_.state is not RoundState.RUNNING,
            )
            for round_ in self._store.rounds(ladder.id, numbers)
            if round_ is not None and not round_.came_to_nothing
        ]

    def _meetings(
        self, ladder: Ladder, round_: Round, results: dict[str, GroupResult]
    ) -> list[SeasonMeeting]:
        if ladder.decks is DeckMode.ROTATED:
            # A meeting is a group. The plan of its tables is not needed, and takes long.
            return [
                SeasonMeeting(
                    tuple(each.id for each in bots),
                    _last(results, self._tables.group_ids(ladder, round_, number)),
                )
                for number, bots in enumerate(round_.tables or ())
            ]
        found = defaultdict[int, list[str]](list)
        for ident, table in self._tables.by_id(ladder, round_).items():
            found[table].append(ident)
        return [
            SeasonMeeting(
                tuple(each.id for each in table.entrants), _last(results, found[number]), single=True
            )
            for number, table in enumerate(self._tables.plan(ladder, round_).tables)
        ]


def _last(results: Mapping[str, GroupResult], idents: Sequence[str]) -> GroupResult | None:
    """Return the last of these groups that has a result."""
    return next((results[ident] for ident in reversed(idents) if ident in results), None)
