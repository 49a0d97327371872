"""The bots that can play in a round: entered, enabled, not suspended, not about to leave, and willing to play what the
ladder plays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from league.accounts.model import Bot, MatchKind
from league.ladders.model import Ladder, Round
from league.pairing.formats.field import SeedOrder
from league.pairing.plan import Entrant
from league.rounds.context import RoundPart
from records.match.session import Seat
from records.ratings.model import Rating


class RoundEntrants(RoundPart):
    """Finds the bots that can play in a round."""

    def entrants(self, ladder: Ladder) -> tuple[Entrant, ...]:
        """Return the bots that can play, in the order of the format's `seed_order`."""
        entries = self._ladders.entries(ladder.id)
        bots = self._willing(ladder, [entry.bot for entry in entries])
        found = [
            Entrant(bot.id, bot.full_name, bot.owner, bot.version, bot.house, entry.entropy)
            for entry in entries
            if (bot := bots.get(entry.bot)) is not None
        ]
        seed_order = ladder.format_class.seed_order
        if seed_order is not SeedOrder.NAME:
            entered = {entry.bot: entry.entered for entry in entries}
            found.sort(key=lambda each: entered[each.id])
        if seed_order is SeedOrder.RATING:
            ratings = self.ratings(ladder, [each.id for each in found])
            found.sort(key=lambda each: -ratings.get(each.id, Rating()).mu)
        return tuple(found)

    def ratings(self, ladder: Ladder, bots: Sequence[str]) -> Mapping[str, Rating]:
        return self._context.ratings(ladder.preset, bots)

    def refused(self, ladder: Ladder, entrants: Sequence[Entrant]) -> dict[str, frozenset[str]]:
        """Return by bot id the entrants with whose owners it does not play."""
        owners = {entrant.id: entrant.name.partition("/")[0] for entrant in entrants}
        found = {}
        for bot in self._ladders.accounts.bots_by_ids(list(owners)):
            if bot is not None and (bot.match_policy.excluded_owners or bot.match_policy.owners is not None):
                found[bot.id] = frozenset(
                    other
                    for other, owner in owners.items()
                    if owner != bot.owner_name
                    and bot.match_policy.refuses(ladder.game, ladder.clock, MatchKind.LADDER, {owner})
                    is not None
                )
        return found

    def able(self, ladder: Ladder, round_: Round) -> dict[str, Bot]:
        """Return by id the round's entrants that can be seated now."""
        withdrawn = {
            entry.bot for entry in self._ladders.store.entries(ladder.id) if entry.withdrawn is not None
        }
        return self._willing(
            ladder, [entrant.id for entrant in round_.entrants if entrant.id not in withdrawn]
        )

    def _willing(self, ladder: Ladder, bots: Sequence[str]) -> dict[str, Bot]:
        """Return by id, in this order, the bots that are enabled, stay, are not banned, and accept what is played.

        In a bracket a bot that leaves keeps its place: without it, the bot would be out for good.
        """
        accounts = self._ladders.accounts
        found = [bot for bot in accounts.bots_by_ids(bots) if bot is not None]
        gone = accounts.unavailable(found)
        remote = [bot.id for bot in found if not bot.house]
        gone |= {bot for bot, health in self._ladders.fitness.of(remote).items() if health.suspended}
        gone |= set() if ladder.format_class.has_bracket else self._context.leaving(remote)
        # A bot that entered while it was being banned is still entered.
        banned = self._ladders.access.banned(ladder.id, [bot.full_name for bot in found])
        return {
            bot.id: bot
            for bot in found
            if bot.id not in gone
            and bot.full_name not in banned
            and bot.match_policy.refuses(ladder.game, ladder.clock, MatchKind.LADDER) is None
        }


def seat_of(entrant: Entrant) -> Seat:
    return Seat(entrant.name, entrant.id, entrant.version, entrant.house)


def accepted(entrants: Sequence[Entrant], able: Mapping[str, Bot], ladder: Ladder) -> bool:
    """Return whether all entrants can be seated and each accepts the owners of the others."""
    owners = {entrant.name.partition("/")[0] for entrant in entrants}
    return all(
        (bot := able.get(entrant.id)) is not None
        and bot.match_policy.refuses(ladder.game, ladder.clock, MatchKind.LADDER, owners - {bot.owner_name})
        is None
        for entrant in entrants
    )


def house_only(entrants: Sequence[Entrant]) -> bool:
    return all(entrant.house for entrant in entrants)
