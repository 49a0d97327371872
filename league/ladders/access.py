"""Who may enter a ladder: its access mode, and rules for owners and bots by name.

A rule names an owner, who stands for all of its bots, or one bot. A banned bot is withdrawn, can't enter, and is left
out of rounds even if it entered at the same moment.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from league.accounts.model import Bot
from league.errors import BadValue, EntryReason, EntryRefused
from league.ladders.model import AccessRule, AccessVerdict, Ladder
from league.ladders.redis import RedisLadderStore
from league.ladders.settings import LadderAccess

MOST_RULES: Final = 1000


class LadderAccessControl:
    """The rules of ladders. Safe to share between greenlets and threads."""

    def __init__(self, store: RedisLadderStore) -> None:
        self._store = store

    def rules(self, ladder: str) -> Sequence[AccessRule]:
        return self._store.access_rules(ladder)

    def set_rules(
        self, ladder: str, ids: Mapping[str, str], verdict: AccessVerdict | None, reason: str = ""
    ) -> Sequence[AccessRule]:
        """Set the rules for owners and bots by name, whose `ids` keep the rules true when they are renamed, or with
        `None` remove them, all or none. Return all rules of the ladder. Raise `BadValue`."""
        if not reason.isprintable():
            raise BadValue("reason", reason, "printable characters")
        if verdict is None:
            self._store.drop_access_rules(ladder, [*ids])
            return self.rules(ladder)
        now = self._store.now()
        rules = [AccessRule(name, verdict, reason, now, ident) for name, ident in ids.items()]
        if not self._store.put_access_rules(ladder, rules, MOST_RULES):
            expected = f"at most {MOST_RULES} rules of one ladder, with those that it has; remove some"
            raise BadValue("rules", len(rules), expected)
        return self.rules(ladder)

    def banned(self, ladder: str, names: Iterable[str]) -> set[str]:
        """Return those of these bots (`owner/bot`) that are banned, alone or with their owner."""
        barred = {rule.name for rule in self.rules(ladder) if rule.verdict is AccessVerdict.BANNED}
        return {name for name in names if barred & {name, name.partition("/")[0]}} if barred else set()

    def check(self, ladder: Ladder, bot: Bot) -> None:
        """Raise `EntryRefused` for a bot that may not enter."""
        rules = {rule.name: rule for rule in self.rules(ladder.id)}
        for name in (bot.full_name, bot.owner_name):
            rule = rules.get(name)
            if rule is not None and rule.verdict is AccessVerdict.BANNED:
                reason = f": {rule.reason}" if rule.reason else ""
                raise EntryRefused(
                    f"{name} is banned from this ladder{reason}", reason=EntryReason.BANNED, why=rule.reason
                )
        if ladder.access is LadderAccess.OPEN or bot.house or ladder.is_run_by(bot.owner):
            return
        if ladder.access is LadderAccess.CLOSED:
            raise EntryRefused(
                "this ladder is closed: only its organisers enter bots", reason=EntryReason.CLOSED
            )
        if not rules.keys() & {bot.full_name, bot.owner_name}:
            raise EntryRefused(
                f"this ladder takes invited bots only; its organisers can invite {bot.full_name} or {bot.owner_name}",
                reason=EntryReason.NOT_INVITED,
            )
