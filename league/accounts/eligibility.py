"""Who may be put at a table: every bot is available and accepts it, and has room for one match more.

Room is counted by bot, in one script each: a match takes its place before it is made and gives it back if it is not, so
that no two matches made at the same moment take the last place both. The rounds of ladders count without taking
places: a casual match made in the very moment of a round's may be one too many for a bot.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from league.accounts.model import Bot
from league.accounts.policy import IneligibleReason, MatchKind
from league.accounts.service import Accounts
from league.accounts.store import MatchSlots
from league.errors import BotUnavailable
from referee.match.clock import ClockRule


class Eligibility:
    """See the module. Safe to share between greenlets and threads."""

    def __init__(self, accounts: Accounts, places: MatchSlots) -> None:
        self._accounts, self._places = accounts, places

    def check(
        self, bots: Sequence[Bot | None], game: str, clock: ClockRule, challenger: str | None = None
    ) -> None:
        """All of these at one table of a casual match, at the challenge of the owner of this name. Raises
        `BotUnavailable`."""
        seated = [bot for bot in bots if bot is not None]
        owners = {challenger} if challenger else set()
        check_seats(seated, self._accounts, game, clock, MatchKind.CASUAL, owners)

    @contextmanager
    def reserved(self, match: str, bots: Sequence[Bot | None]) -> Iterator[None]:
        """Room for this match at each of these bots, given back if making it fails. Raises `BotUnavailable`."""
        taken: list[str] = []
        try:
            for bot in bots:
                if bot is None or bot.house:
                    continue
                if not self._places.reserve(bot.id, match, bot.match_policy.max_matches):
                    raise refusal(bot, IneligibleReason.BUSY, "")
                taken.append(bot.id)
            yield
        except BaseException:
            for bot_id in taken:
                self._places.release(bot_id, match)
            raise


def check_seats(
    bots: Sequence[Bot],
    accounts: Accounts,
    game: str,
    clock: ClockRule,
    kind: MatchKind,
    company: Iterable[str] = (),
) -> None:
    """All of these at one table, and with bots of these owners, by name. Raises `BotUnavailable`."""
    gone = accounts.unavailable(bots)
    owners = {*company, *(bot.owner_name for bot in bots)}
    for bot in bots:
        if bot.id in gone:
            raise refusal(bot, IneligibleReason.DISABLED, game)
        why = bot.match_policy.refuses(game, clock, kind, owners - {bot.owner_name})
        if why is not None:
            raise refusal(bot, why, game)


def refusal(bot: Bot, why: IneligibleReason, game: str) -> BotUnavailable:
    """What is told of a bot that can't be seated."""
    return BotUnavailable(
        f"{bot.full_name} {_SAID[why].format(game)}",
        bot=bot.full_name,
        reason=why.value,
        match_policy=bot.match_policy.to_json(),
    )


_SAID: Final = {
    IneligibleReason.DISABLED: "is disabled",
    IneligibleReason.GAME: "does not play {}",
    IneligibleReason.CLOCK: "does not accept so short a clock",
    IneligibleReason.KIND: "does not accept matches of this kind",
    IneligibleReason.OWNER: "does not accept this company",
    IneligibleReason.BUSY: "plays as many matches as it accepts",
}
