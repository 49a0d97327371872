"""The bracket of a knock-out ladder, computed from the results of its groups."""

from __future__ import annotations

from collections.abc import Sequence

from league.errors import NoBracket, NoSuchSeason
from league.ladders.model import Ladder, Round
from league.ladders.service import Ladders
from league.pairing.formats.field import Field
from league.pairing.formats.knock_out import Bracket, KnockOut
from league.pairing.plan import Entrant
from league.rounds.entrants import RoundEntrants
from referee.match.session import table_of


class BracketRounds:
    """Computes the brackets of knock-out ladders."""

    def __init__(self, ladders: Ladders, entrants: RoundEntrants) -> None:
        self._ladders, self._store, self._entrants = ladders, ladders.store, entrants

    def bracket(self, ladder_id: str, season: int | None = None) -> Bracket:
        """Return the bracket of a season, by default the current one. It has no stages before the first round.

        Raise `NoBracket`, `NoSuchLadder` or `NoSuchSeason`.
        """
        ladder = self._ladders.get(ladder_id)
        format_ = ladder.pairing_format()
        if not isinstance(format_, KnockOut):
            raise NoBracket(f"the ladder's format is {ladder.format}; only a knock_out has a bracket")
        if season in (None, ladder.season):
            number, first, last = ladder.season, ladder.season_first, self._store.last_round(ladder_id)
            walkovers, is_over = ladder.walkovers, ladder.walkovers is not None
        else:
            (past,) = self._store.seasons(ladder_id, [season or 0])
            if past is None or past.last_round is None:
                raise NoSuchSeason(f"the ladder has no season {season}; the current one is {ladder.season}")
            number, first, last = past.number, past.first_round, past.last_round
            walkovers, is_over = past.walkovers, True
        rounds = self._rounds(ladder, first, last + 1)
        if not rounds:
            return Bracket((), None, 0)
        # The entrants of the last round were present then, whatever happened to them since.
        here = rounds[-1].entrants if is_over else self._entrants.entrants(ladder)
        field = self.field(ladder, first, last + 1, here, number)
        if walkovers is not None:
            field = field._replace(walkovers=walkovers, refused={})
        return format_.bracket(field)

    def field(
        self,
        ladder: Ladder,
        first_round: int,
        number: int,
        here: Sequence[Entrant],
        season: int | None = None,
    ) -> Field:
        """Return the knock-out's field for round `number`, where `here` are the bots that can play it. The bracket
        contains the bots of the season's first round; later entries are not added."""
        table = table_of(ladder.game, ladder.seats, ladder.options)
        rounds = self._rounds(ladder, first_round, number)
        began = rounds[0].entrants if rounds else here
        # A bot that was absent when a round was opened is out for good, since others have advanced in its place.
        still = {entrant.id for entrant in here}.intersection(
            *({entrant.id for entrant in each.entrants} for each in rounds)
        )
        return Field(
            began,
            table.sides,
            1 + number - first_round,
            f"{ladder.secret} {number}",
            outcomes=self._store.outcomes(ladder.id, season or ladder.season),
            gone=frozenset(entrant.id for entrant in began if entrant.id not in still),
            refused=self._entrants.refused(ladder, began),
            walkovers=rounds[-1].walkovers if rounds else {},
        )

    def _rounds(self, ladder: Ladder, first: int, end: int) -> list[Round]:
        """Return the rounds from `first` to before `end`, without failed rounds that count nothing."""
        found = self._store.rounds(ladder.id, range(first, end))
        return [each for each in found if each is not None and not each.came_to_nothing]
