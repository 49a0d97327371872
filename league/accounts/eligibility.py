"""Eligibility: whether bots can be seated together. Every bot must be enabled, accept the match and have a free slot.

A match reserves a slot of each bot before it is created and releases it if it is refused, so two concurrent matches
never share the last slot. Processes that create the same match, as after a retry, share one slot but hold a reservation
each: one that is refused leaves the slot to the others. After any other error the match may exist, or be created later,
so the slots stay reserved until they expire. Rounds of ladders count matches without reserving slots. So a casual match
created at the same moment as a round may exceed a bot's maximum by one.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from engine.game import BadTable
from league.accounts.model import Bot, IneligibleReason, MatchKind
from league.accounts.service import Accounts
from league.errors import BotUnavailable, LeagueError, TooManyHouseMatches
from records.errors import RefereeError
from records.ids import random_text
from records.match.assist import LIST, Assist
from records.match.clock import ClockRule
from referee.storage.redis_index import RedisMatchIndex

MOST_HOUSE_MATCHES: Final = 500
"""How many matches of one owner may wait for house bots before further ones are refused."""


class Eligibility:
    """Checks and reservations for casual matches. Safe to share between greenlets and threads."""

    def __init__(
        self,
        accounts: Accounts,
        places: RedisMatchIndex,
        *,
        quick: Container[str] = (),
        waiting_matches: Callable[[str], int] = lambda owner: 0,
    ) -> None:
        """`quick` has the names of the house bots that answer at once. `waiting_matches` returns how many matches that
        an owner requested wait for house bots."""
        self._accounts, self._places = accounts, places
        self._quick, self.waiting_matches = quick, waiting_matches

    def check(
        self,
        bots: Sequence[Bot | None],
        game: str,
        clock: ClockRule,
        challenger: str | None = None,
        assist: Assist = LIST,
    ) -> None:
        """Raise `BotUnavailable` unless all bots can play a casual match together, challenged by the owner with this
        name. Nobody challenges the bots of others to a match that does not list its moves: they may need the list.
        Raise `TooManyHouseMatches` if too many matches of that owner wait for house bots."""
        seated = [bot for bot in bots if bot is not None]
        for bot in seated:
            if challenger and assist != LIST and not bot.house and bot.owner_name != challenger:
                raise refusal(bot, IneligibleReason.ASSIST, game)
        if challenger and self._need_turns(seated):
            self._check_turns(challenger)
        owners = {challenger} if challenger else set()
        check_seats(seated, self._accounts, game, clock, MatchKind.CASUAL, owners)

    def _need_turns(self, bots: Sequence[Bot]) -> bool:
        """Return whether a worker plays for some of these bots: a house bot thinks, or nobody else is seated."""
        thinks = any(bot.house and bot.name not in self._quick for bot in bots)
        return thinks or (bool(bots) and all(bot.house for bot in bots))

    def _check_turns(self, owner: str) -> None:
        waiting = self.waiting_matches(owner)
        if waiting >= MOST_HOUSE_MATCHES:
            raise TooManyHouseMatches(
                f"{waiting} matches that {owner} requested wait for house bots, and at most {MOST_HOUSE_MATCHES} may; "
                "request more when some of them have been played",
                waiting=waiting,
                most=MOST_HOUSE_MATCHES,
            )

    @contextmanager
    def reserved(self, match: str, bots: Sequence[Bot | None]) -> Iterator[None]:
        """Reserve a slot of each bot, and release them if the match is refused. Raise `BotUnavailable`."""
        taken: list[str] = []
        holder = random_text(16)
        try:
            for bot in bots:
                if bot is None or bot.house:
                    continue
                most = bot.match_policy.max_matches
                if not self._places.reserve(bot.id, match, holder=holder, max_matches=most):
                    raise refusal(bot, IneligibleReason.BUSY, "")
                taken.append(bot.id)
            yield
        except (BadTable, RefereeError, LeagueError):
            for bot_id in taken:
                self._places.release(bot_id, match, holder)
            raise


def check_seats(
    bots: Sequence[Bot],
    accounts: Accounts,
    game: str,
    clock: ClockRule,
    kind: MatchKind,
    company: Iterable[str] = (),
) -> None:
    """Raise `BotUnavailable` unless all bots accept the match, each other, and bots of the owners in `company`."""
    gone = accounts.unavailable(bots)
    owners = {*company, *(bot.owner_name for bot in bots)}
    for bot in bots:
        if bot.id in gone:
            raise refusal(bot, IneligibleReason.DISABLED, game)
        why = bot.match_policy.refuses(game, clock, kind, owners - {bot.owner_name})
        if why is not None:
            raise refusal(bot, why, game)


def refusal(bot: Bot, why: IneligibleReason, game: str) -> BotUnavailable:
    """Return the exception for a bot that can't be seated."""
    return BotUnavailable(
        f"{bot.full_name} {_REASONS[why].format(game=game, most=bot.match_policy.max_matches)}",
        bot=bot.full_name,
        reason=why.value,
        match_policy=bot.match_policy._asdict(),
    )


_REASONS: Final = {
    IneligibleReason.DISABLED: "is disabled",
    IneligibleReason.GAME: "does not play {game}",
    IneligibleReason.CLOCK: "does not accept so short a clock",
    IneligibleReason.KIND: "does not accept matches of this kind",
    IneligibleReason.ASSIST: "plays without a list of moves only if it joins the match itself",
    IneligibleReason.OWNER: "does not accept this company",
    IneligibleReason.BUSY: "already plays its maximum of matches ({most})",
}
