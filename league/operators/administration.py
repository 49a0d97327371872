"""Administration: what operators may do to the service and to the property of others. Each action has an entry in the
audit log.

Every action may be repeated: the second time it changes nothing and gets an entry of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Final

from league.accounts.invitations import MOST_INVITATION_NOTE, MOST_INVITED_NAME
from league.accounts.model import ADMIN, HOUSE, Bot, Owner
from league.accounts.service import Accounts
from league.accounts.tokens import Token
from league.errors import BadValue, NoSuchOwner
from league.ladders.model import Ladder
from league.ladders.published import RERUN, PublishedResults
from league.ladders.service import Ladders
from league.ladders.settings import LadderSettings
from league.operators.audit import Audit, AuditActor
from league.operators.forgetting import Forgetting
from league.rounds import Rerun, Rounds
from records.instants import text_of
from records.match.loaded_match import LoadedMatch
from referee.referee import Referee
from referee.service.redis import RedisService
from referee.service.state import ServiceState, ServiceStatus

MOST_INVITATION_S: Final = 365 * 86_400
MOST_ANNOUNCED: Final = 500
MOST_INVITATIONS: Final = 500
"""The most invitations of one request."""


class Administration:
    """Actions of operators. Safe to share between greenlets and threads."""

    def __init__(
        self,
        audit: Audit,
        accounts: Accounts,
        ladders: Ladders,
        rounds: Rounds,
        referee: Referee,
        service: RedisService,
        published: PublishedResults,
        forgetting: Forgetting,
    ) -> None:
        self.audit, self._forgetting = audit, forgetting
        self._accounts, self._ladders, self._rounds = accounts, ladders, rounds
        self._referee, self._service, self._published = referee, service, published

    # 1. The service

    def set_service(self, by: AuditActor, state: ServiceState, reason: str) -> ServiceStatus:
        """Run, drain or pause the service. The current state again is no change."""
        what = {"running": "resume", "draining": "drain", "paused": "pause"}[state]
        with self.audit.act(by, what, "service", reason, self._service.status().to_json()) as action:
            status = self._service.change(state, reason)
            action.after = status.to_json()
        return status

    def announce(self, by: AuditActor, text: str) -> ServiceStatus:
        """Show a text on every page of the site; an empty one removes it. Raise `BadValue`."""
        if len(text) > MOST_ANNOUNCED or not text.replace("\n", "").isprintable():
            raise BadValue("text", text, f"at most {MOST_ANNOUNCED} printable characters and line breaks")
        before = {"text": self._service.status().announcement}
        with self.audit.act(by, "announce", "service", "", before) as action:
            action.after = {"text": text}
            return self._service.announce(text)

    # 2. Matches

    def void(self, by: AuditActor, match: str, reason: str) -> LoadedMatch:
        """Void a match, so that it does not count. Raise `NoSuchMatch`."""
        found = self._referee.look(match)
        before, ladder = _of_match(found), found.config.ladder
        with (
            self.audit.act(by, "void", f"match {match}", reason, before, ladder=ladder) as action,
            self._correction(found, "void", by, reason),
        ):
            loaded = self._referee.void(match, reason)
            action.after = _of_match(loaded)
        return loaded

    def rerun(self, by: AuditActor, match: str, reason: str) -> Rerun:
        """Replace a void ladder match, or its duplicate group. Raise `NotRerunnable` and what `Rounds.rerun` raises."""
        found = self._referee.look(match)
        before, ladder = _of_match(found), found.config.ladder
        with (
            self.audit.act(by, "rerun", f"match {match}", reason, before, ladder=ladder) as action,
            self._correction(found, RERUN, by, reason),
        ):
            again = self._rounds.rerun(match)
            action.after = {"group" if again.is_group else "match": again.id}
        return again

    def _correction(
        self, match: LoadedMatch, action: str, by: AuditActor, reason: str
    ) -> AbstractContextManager[None]:
        """Make a new version of the published result that the match belongs to, if the block changes it."""
        ladder, season = match.config.ladder, match.config.season
        if ladder is None or season is None:
            return nullcontext()
        return self._published.correction(ladder, [season], action, by.owner, reason)

    # 3. Bots, owners, tokens

    def set_bot_disabled(self, by: AuditActor, owner: str, name: str, *, disabled: bool, reason: str) -> Bot:
        """Disable or enable a bot for the service. Raise `NoSuchBot`, or `BadValue` without a reason."""
        bot, what = self._accounts.bot(owner, name), "disable" if disabled else "enable"
        why, before = _reasoned(reason) if disabled else reason, {"disabled_reason": bot.disabled_reason}
        with self.audit.act(by, what, f"bot {bot.full_name}", why, before) as action:
            changed = self._accounts.set_bot_disabled(bot.id, reason if disabled else None)
            action.after = {"disabled_reason": changed.disabled_reason}
        return changed

    def set_owner_disabled(self, by: AuditActor, name: str, *, disabled: bool, reason: str) -> Owner:
        """Disable or enable an owner and its bots. Raise `NoSuchOwner`, or `BadValue` without a reason."""
        owner, what = self._accounts.owner_by_name(name), "disable" if disabled else "enable"
        why, before = _reasoned(reason) if disabled else reason, _of_owner(owner)
        with self.audit.act(by, what, f"owner {owner.name}", why, before) as action:
            changed = self._accounts.set_owner_disabled(owner.id, disabled=disabled, reason=reason)
            action.after = _of_owner(changed)
        return changed

    def revoke(self, by: AuditActor, token_id: str, reason: str) -> None:
        """Revoke any token. Raise `NoSuchToken`."""
        token = self._accounts.token(token_id)
        before = {"name": token.name, "scopes": sorted(token.scopes)}
        with self.audit.act(by, "revoke", f"token {token_id}", reason, before):
            self._accounts.revoke(token_id)

    def issue_admin(
        self, by: AuditActor, name: str, expires: int | None, note: str, reason: str, seed: str | None = None
    ) -> tuple[Token, str]:
        """Create a token of a named admin and return it with its text. `seed` as in `Accounts.create_owner`. Raise
        `BadValue` or `NameTaken`."""
        before = {"expires": None if expires is None else text_of(expires)}
        with self.audit.act(by, "issue", f"admin {name}", reason, before) as action:
            issued = self._accounts.issue_admin_token(name, expires, note, seed)
            action.after = {"token": issued[0].id}
        return issued

    def replace_owner_token(
        self, by: AuditActor, name: str, reason: str, seed: str | None = None
    ) -> tuple[Token, str]:
        """Create a token for an owner who lost theirs, and revoke the owner's other tokens. Return the token and
        its text. `seed` as in `Accounts.create_owner`. Raise `NoSuchOwner`, or `BadValue` without a reason."""
        owner = self._accounts.owner_by_name(name)
        target, before = (
            f"owner {owner.name}",
            {"tokens": [each.id for each in self._accounts.tokens(owner.id)]},
        )
        with self.audit.act(by, "replace_token", target, _reasoned(reason), before) as action:
            issued = self._accounts.replace_owner_token(owner, seed=seed)
            action.after = {"token": issued[0].id}
        return issued

    def forget(self, by: AuditActor, name: str, reason: str) -> Owner:
        """Forget an owner (`league.operators.forgetting`), and return it with its pseudonym. Raise `NoSuchOwner`, or
        `BadValue` without a reason."""
        owner = self._accounts.owner_by_name(name)
        if owner.id == HOUSE:
            raise NoSuchOwner("the house belongs to the service")
        pseudonym = self._accounts.pseudonyms(owner, [])[owner.name]
        with self.audit.act(by, "forget", f"owner {pseudonym}", _reasoned(reason)):
            return self._forgetting.forget(owner)

    def admins(self) -> list[Token]:
        """Return the valid tokens of named admins, the oldest first."""
        return self._accounts.tokens(ADMIN)

    def invite(
        self,
        by: AuditActor,
        expires_in_s: int,
        reason: str,
        seed: str | None = None,
        *,
        count: int = 1,
        names: Sequence[str] = (),
        note: str = "",
        names_for: str | None = None,
    ) -> list[str]:
        """Create invitations, each for one owner, and return their codes: one for each of `names`, or `count` without a
        name. With `names_for`, the name of an owner, they ask for a real name, which the organisers of this owner's
        ladders see. `seed` as in `Accounts.create_owner`. Raise `BadValue` or `NoSuchOwner`."""
        if names and count not in (1, len(names)):
            raise BadValue("count", count, f"{len(names)}, the number of names, or nothing")
        named = list(names) or [""] * count
        for each, most, field in (
            *((name, MOST_INVITED_NAME, "names") for name in names),
            (note, MOST_INVITATION_NOTE, "note"),
        ):
            if len(each) > most or not each.isprintable():
                raise BadValue(field, each, f"at most {most} printable characters")
        if not 1 <= expires_in_s <= MOST_INVITATION_S:
            raise BadValue("expires_in_s", expires_in_s, f"seconds, from 1 to {MOST_INVITATION_S}")
        if not 1 <= len(named) <= MOST_INVITATIONS:
            raise BadValue("count", len(named), f"a number from 1 to {MOST_INVITATIONS}")
        asks = None if names_for is None else self._accounts.owner_by_name(names_for)
        if asks is not None and asks.id == HOUSE:
            raise NoSuchOwner("the house belongs to the service")
        before: dict[str, object] = {"expires_in_s": expires_in_s}
        before |= {"count": len(named)} if len(named) > 1 else {}
        before |= {} if asks is None else {"names_for": asks.name}
        with self.audit.act(by, "invite", "service", reason, before):
            return [
                self._accounts.invite(
                    expires_in_s, seed, number, name=name, note=note, names_for=asks and asks.id
                )
                for number, name in enumerate(named)
            ]

    # 4. Ladders

    def create_ladder(
        self,
        by: AuditActor,
        owner: str,
        settings: LadderSettings,
        *,
        state: str,
        ladder_id: str | None = None,
    ) -> Ladder:
        """Create a ladder for the owner with this name, who manages it from then on. Raise `NoSuchOwner` and what
        `Ladders.create` raises."""
        owned_by = self._accounts.owner_by_name(owner)
        with self.audit.act(by, "create_ladder", f"owner {owned_by.name}", "") as action:
            ladder = self._ladders.create(owned_by.id, settings, state=state, ladder_id=ladder_id)
            action.after = {"ladder": ladder.id}
        return ladder


def _of_owner(owner: Owner) -> dict[str, object]:
    return {"disabled": owner.disabled, "reason": owner.reason}


def _of_match(loaded: LoadedMatch) -> dict[str, object]:
    return {"status": loaded.progress.status, "ending": loaded.progress.ending, "void": loaded.void}


def _reasoned(reason: str) -> str:
    if not reason.strip():
        raise BadValue("reason", reason, "a reason, which the owner will see")
    return reason
