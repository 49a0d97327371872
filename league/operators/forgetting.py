"""Forgetting owners: a pseudonym replaces their name and those of their bots, and what only they had is deleted.

Records and results stay, since others played in them. A record's digest covers ids and no names (ADR 46). Texts come
before the new names, and the sweep after them: repeat an interrupted call with the old name, or with the pseudonym if
nobody has the old name any more.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final

from league.accounts.model import Bot, MatchPolicy, Owner
from league.accounts.service import Accounts
from league.fitness.facts import BotFacts
from league.following import Following
from league.ladders.model import Ladder
from league.ladders.published import PublishedResults
from league.ladders.service import Ladders
from league.notifications.account_streams import RedisEventLogStore
from league.notifications.model import Account
from league.notifications.service import Webhooks
from league.operators.audit import Audit, in_words
from league.ratings.redis import RedisRatingStore
from records.names import first_owner

FORGOTTEN: Final = "forgotten"
"""Why a forgotten owner is disabled."""


class Forgetting:
    """Forgets owners. Safe to share between greenlets and threads."""

    def __init__(
        self,
        accounts: Accounts,
        ladders: Ladders,
        published: PublishedResults,
        ratings: RedisRatingStore,
        webhooks: Webhooks,
        logs: RedisEventLogStore,
        audit: Audit,
        facts: BotFacts,
        following: Following,
        renew_matches: Callable[[Collection[str]], None],
    ) -> None:
        """`renew_matches` stores the present names of bots and people in groups and matches."""
        self._accounts, self._ladders, self._ratings = accounts, ladders, ratings
        self._published = published
        self._webhooks, self._logs, self._audit = webhooks, logs, audit
        self._facts, self._following, self._renew_matches = facts, following, renew_matches

    def forget(self, owner: Owner) -> Owner:
        """Forget an owner, and return it with its pseudonym. Safe to repeat. Raise `NoSuchOwner` or `Overtaken`."""
        self._accounts.set_owner_disabled(owner.id, disabled=True, reason=FORGOTTEN)
        bots = self._accounts.bots_of(owner)
        self._accounts.revoke_all([owner.id, *(bot.id for bot in bots)])
        for webhook in self._webhooks.of(first_owner(owner.name)):
            self._webhooks.remove(webhook.owner, webhook.id)
        self._logs.delete(
            [
                *(Account(kind, first_owner(owner.name)) for kind in ("owner", "news")),
                *(Account("bot", bot.id) for bot in bots),
            ]
        )
        for bot in bots:
            self._facts.forget(bot.id)
        self._following.forget(owner.id)
        names = self._accounts.pseudonyms(owner, bots)
        self._audit.replace_names(names)
        self._replace_in_policies(names)
        for ladder in self._ladders.store.each():
            self._renew_ladder(ladder, {owner.id, *(bot.id for bot in bots)}, names)
        forgotten = self._accounts.forget_names(owner.id)
        self._sweep(forgotten, self._accounts.bots_of(forgotten), names)
        return forgotten

    def _sweep(self, owner: Owner, bots: Sequence[Bot], names: Mapping[str, str]) -> None:
        """Replace the names that ladders, ratings, groups and matches store."""
        self._ratings.put_names({bot.id: bot.full_name for bot in bots})
        self._ratings.renew_names([bot.id for bot in bots])
        for ladder in self._ladders.store.each():
            if self._renew_ladder(ladder, {owner.id, *(bot.id for bot in bots)}, names):
                self._ladders.store.renew_names(ladder)
        self._renew_matches([*(bot.id for bot in bots), f"person-{owner.id}"])

    def _renew_ladder(self, ladder: Ladder, ids: Collection[str], names: Mapping[str, str]) -> bool:
        """Replace names in the reasons of a ladder, and store its rules and entries for these owners and bots under
        their present names. Return whether there are entries."""
        entries = [entry for entry in self._ladders.store.entries(ladder.id) if entry.bot in ids]
        for entry in entries:
            reasons = [each._replace(reason=in_words(each.reason, names)) for each in entry.disqualified]
            self._ladders.store.put_entry(ladder.id, entry._replace(disqualified=tuple(reasons)))
        self._published.replace_names(ladder, lambda text: in_words(text, names))
        self._ladders.store.renew_access_rules(ladder.id, ids, lambda text: in_words(text, names))
        return bool(entries)

    def _replace_in_policies(self, names: Mapping[str, str]) -> None:
        """Replace names in the match policies of other bots."""
        page = self._accounts.bots()
        while True:
            for bot in page.bots:
                policy = bot.match_policy
                named = {*(policy.owners or ()), *policy.excluded_owners}
                if named & names.keys():
                    self._accounts.update_bot(bot.id, match_policy=_renamed(policy, names))
            if page.cursor is None:
                return
            page = self._accounts.bots(cursor=page.cursor)


def _renamed(policy: MatchPolicy, names: Mapping[str, str]) -> MatchPolicy:
    owners = None if policy.owners is None else tuple(names.get(each, each) for each in policy.owners)
    excluded = tuple(names.get(each, each) for each in policy.excluded_owners)
    return policy._replace(owners=owners, excluded_owners=excluded)
