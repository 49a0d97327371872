"""Owners, their bots and their tokens (`league.accounts.tokens`).

A token's text is shown once. The store keeps its HMAC-SHA256 under the server's pepper and finds a token by this
digest. Without the pepper nobody can choose digests, so the timing of a look-up reveals nothing, and no secret is
compared byte by byte. House bots belong to the owner `house`, have ids `house-<name>` and no tokens; the composition
root names them.
"""

from __future__ import annotations

import hashlib
import hmac
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property, lru_cache
from typing import Any, Final

from engine.quoting import quoted
from league.accounts.invitations import Invitation, InvitationState
from league.accounts.model import (
    ADMIN,
    HOUSE,
    MOST_DECLARED,
    MOST_REAL_NAME,
    NAME,
    PERSON,
    AccountPage,
    Bot,
    DeclaredAgent,
    MatchPolicy,
    Owner,
    checked,
    is_blank,
    is_reserved,
)
from league.accounts.redis import RedisAccountStore
from league.accounts.remembered import RememberedToken, RememberedTokens
from league.accounts.tokens import (
    INVITATION_S,
    SCOPES,
    NewToken,
    Token,
    TokenKind,
    checked_scopes,
    in_letters,
    is_token,
    token_text,
)
from league.errors import BadInvitation, BadValue, NameTaken, NoSuchBot, NoSuchOwner, NoSuchToken, Overtaken
from records.ids import random_text
from records.instants import text_of
from records.match.players import HousePlayer, Players, ThinkingPlayer
from records.names import learn, present_owner
from redisio.connection import Reply
from referee.storage import paging
from referee.storage.store import PendingReply, ReadPipeline

_ATTEMPTS: Final = 16
_NO_AGENT: Final = DeclaredAgent()
NAMES_S: Final = 2.0
"""How long a process may show a bot or owner that another process has renamed by the old name, in seconds."""
SESSION_S: Final = 30 * 86_400
"""How long a browser stays signed in, in seconds."""


def wall_clock() -> int:
    """Return the time of this machine in ms since 1970."""
    return time.time_ns() // 1_000_000


class Accounts:
    """Owners, bots and tokens. Safe to share between greenlets and threads."""

    def __init__(
        self,
        store: RedisAccountStore,
        pepper: str,
        house: Mapping[str, str] | None = None,
        *,
        by_invitation: bool = False,
        admin_token: str | None = None,
        now: Callable[[], int] = wall_clock,
        monotonic: Callable[[], float] = time.monotonic,
        declares: Callable[[str], object] = lambda bot: None,
    ) -> None:
        """`house` has the versions of the house bots by name; lists show those that it iterates over. `admin_token`
        is the admin token of the settings. `declares` hears of a bot after another declaration of its model
        was stored.
        """
        self._store = store
        self._pepper = hashlib.sha256(b"kozyr-token\0" + pepper.encode()).digest()
        self._house_versions: Mapping[str, str] = {} if house is None else house
        # Caches the digest, which is expensive, but not whether the token is valid.
        self._digest_of_token = lru_cache(maxsize=4096)(
            lambda text: self._digest(text) if is_token(text) else None
        )
        self._admin = None if admin_token is None else self._digest(admin_token)
        # Sessions that began with the admin token of the settings name it, so that they end when it changes.
        self._admin_id = ADMIN if self._admin is None else f"{ADMIN}-{self._admin[:16]}"
        self.by_invitation = by_invitation
        self._now = now
        self._remembered = RememberedTokens(store, now)
        self._monotonic, self._declares = monotonic, declares
        self._names_due, self._renamings = 0.0, 0

    # 1. Owners

    def create_owner(
        self,
        name: str,
        *,
        invitation: str | None = None,
        real_name: str = "",
        note: str = "",
        seed: str | None = None,
    ) -> tuple[Owner, str]:
        """Create an owner and its first token; return both, the token as text. Only an invitation that asks for it
        takes a `real_name`. With a `seed`, both derive from it, so that repeating the call within two minutes after a
        crash gives the same result. Raise `BadValue`, `NameTaken` or `BadInvitation`."""
        _checked_new_name(name)
        if self.by_invitation and not invitation:
            raise BadInvitation("registration requires an invitation; send its code")
        # Where registration is open, an invitation is used up too, so that the list says who used it.
        code = self._digest(invitation) if invitation else None
        owner = Owner(
            "o" + self._letters(seed, "owner", 16), name, self._now(), names_for=self._asks(invitation)
        )
        owner = owner._replace(real_name=checked_real_name(owner, real_name))
        token, text = self._mint(owner, note=note, seed=seed)
        outcome = self._store.add_owner(owner, token, code, self._now())
        if outcome == "invitation":
            raise BadInvitation("this invitation is unknown, used or expired")
        if outcome == "taken":
            raise NameTaken(f"an owner {quoted(name)} exists already")
        return owner, text

    def is_invited(self, invitation: str | None) -> bool:
        """Return whether this is the code of a valid invitation."""
        found = self._store.invitation(self._digest(invitation)) if invitation else None
        return found is not None and found.used is None and found.expires > self._now()

    def names_asked_for(self, invitation: str | None) -> str | None:
        """Return the name of the owner for whose organisers a valid invitation asks for a real name; `None` if it asks
        for none."""
        asks = self._asks(invitation) if self.is_invited(invitation) else ""
        return self.owner(asks).name if asks else None

    def asked_by(self, owner: Owner) -> str | None:
        """Return the name of the owner for whose organisers this owner was asked for a real name, if it was."""
        return self.owner(owner.names_for).name if owner.names_for else None

    def _asks(self, invitation: str | None) -> str:
        """Return the id of the owner for whose organisers an invitation asks for a real name."""
        found = self._store.invitation(self._digest(invitation)) if invitation else None
        return (found and found.names_for) or ""

    def set_real_name(self, owner_id: str, real_name: str) -> Owner:
        """Change the real name of an owner, or with an empty one delete it. Raise `NoSuchOwner`, or `BadValue` if no
        invitation asked the owner for it."""
        return self._change_owner(owner_id, lambda owner: {"real_name": checked_real_name(owner, real_name)})

    def real_names(self, names_for: str, owners: Collection[str]) -> dict[str, str]:
        """Return by id the real names that those of these owners gave who were asked for the organisers of this
        owner."""
        found = self._store.owners(sorted(owners))
        return {each.id: each.real_name for each in found if each.real_name and each.names_for == names_for}

    def owner(self, owner_id: str) -> Owner:
        """Return the owner with this id. Raise `NoSuchOwner`."""
        if owner_id == HOUSE:
            return Owner(HOUSE, HOUSE, 0)
        owner = self._store.owner(owner_id)
        if owner is None:
            raise NoSuchOwner(f"there is no owner {quoted(owner_id)}")
        return owner

    def owner_by_name(self, name: str) -> Owner:
        """Return the owner with this name. Raise `NoSuchOwner`."""
        owner_id = HOUSE if name == HOUSE else self._store.owner_id(name)
        if owner_id is None:
            raise NoSuchOwner(f"there is no owner {quoted(name)}")
        return self.owner(owner_id)

    def set_owner_disabled(self, owner_id: str, *, disabled: bool, reason: str = "") -> Owner:
        """Disable or enable an owner with its bots and all their tokens. Raise `NoSuchOwner`."""
        return self._change_owner(
            owner_id, lambda _: {"disabled": disabled, "reason": reason if disabled else ""}
        )

    def _change_owner(self, owner_id: str, changes: Callable[[Owner], Mapping[str, Any]]) -> Owner:
        for _ in range(_ATTEMPTS):
            owner = self._remote_owner(owner_id)
            changed = owner._replace(**changes(owner))
            if self._store.change_owner(owner, changed):
                return changed
        raise Overtaken("the owner changed too many times; retry the request")

    def rename_owner(self, owner_id: str, name: str) -> Owner:
        """Give an owner and its bots another name. The old one leads to it, and nobody else can take it. Raise
        `NoSuchOwner`, `BadValue` or `NameTaken`."""
        _checked_new_name(name)
        for _ in range(_ATTEMPTS):
            owner = self._remote_owner(owner_id)
            if owner.name == name:
                return owner
            bots, changed = self.bots_of(owner), owner._replace(name=name)
            outcome = self._store.rename(
                [owner, *bots], [changed, *(bot._replace(owner_name=name) for bot in bots)]
            )
            if outcome == "taken":
                raise NameTaken(f"an owner {quoted(name)} exists already")
            if outcome == "ok":
                self.learn_names(at_once=True)
                return changed
        raise Overtaken("the owner changed too many times; retry the request")

    def _remote_owner(self, owner_id: str) -> Owner:
        owner = self.owner(owner_id)
        if owner.id == HOUSE:
            raise NoSuchOwner("the house belongs to the service")
        return owner

    def pseudonyms(self, owner: Owner, bots: Sequence[Bot]) -> dict[str, str]:
        """Return for each name that an owner and its bots have or had the name that replaces it when the owner is
        forgotten. Without the server's secret nobody can derive it from an id."""
        known, new = self._store.renamed(), "gone-" + self._letters(owner.id, "pseudonym", 12).lower()
        found = dict.fromkeys(known.get(owner.id, [owner.name]), new)
        for number, bot in enumerate(sorted(bots, key=lambda bot: bot.id), 1):
            found |= dict.fromkeys(known.get(bot.id, [bot.full_name]), f"{new}/bot-{number}")
        return found

    def forget_names(self, owner_id: str) -> Owner:
        """Give an owner and its bots pseudonyms, and clear the descriptions. Their old names lead nowhere any more.
        Safe to repeat. Raise `NoSuchOwner` or `Overtaken`."""
        for _ in range(_ATTEMPTS):
            owner = self.owner(owner_id)
            bots = self.bots_of(owner)
            names = self.pseudonyms(owner, bots)
            changed = owner._replace(name=names[owner.name], real_name="", names_for="")
            renamed = [_forgotten(bot, *names[bot.full_name].split("/")) for bot in bots]
            self._store.forget_invitation(owner_id)
            outcome = self._store.rename([owner, *bots], [changed, *renamed], forget=True)
            if outcome == "ok":
                self.learn_names(at_once=True)
                return changed
        raise Overtaken("the owner changed too many times; repeat the command")

    def revoke_all(self, subjects: Sequence[str]) -> None:
        """Revoke all tokens of these owners and bots."""
        for subject in subjects:
            self._remove(self._store.tokens_of(subject))

    def bots_of(self, owner: Owner) -> list[Bot]:
        """Return all bots of an owner."""
        page = self.bots(owner.name, None, paging.MOST_EXAMINED)
        found = [*page.bots]
        while page.cursor is not None:
            page = self.bots(owner.name, page.cursor, paging.MOST_EXAMINED)
            found += page.bots
        return found

    def learn_names(self, *, at_once: bool = False) -> None:
        """Take note of what other processes have renamed, about once in `NAMES_S`."""
        if not at_once and self._monotonic() < self._names_due:
            return
        self._names_due = self._monotonic() + NAMES_S
        count = self._store.renamings()
        if count == self._renamings and not at_once:
            return
        learn(self._store.renamed())
        self._renamings = count

    def invite(
        self,
        expires_in_s: int = INVITATION_S,
        seed: str | None = None,
        number: int = 0,
        *,
        name: str = "",
        note: str = "",
        names_for: str | None = None,
    ) -> str:
        """Create an invitation for one owner and return its code, which is shown once. `seed` as in `create_owner`;
        `number` tells the invitations of one seed apart. It asks for a real name for the organisers of `names_for`, the
        id of an owner."""
        text = "invite_" + self._letters(seed, f"invitation {number}" if number else "invitation", 26)
        digest, now = self._digest(text), self._now()
        expires = now + expires_in_s * 1000
        self._store.add_invitation(
            digest, Invitation(digest[:16], name, note, now, expires, names_for=names_for)
        )
        return text

    def invitations(
        self, cursor: str | None = None, limit: int = paging.PAGE_LIMIT
    ) -> tuple[list[Invitation], str | None]:
        """Return invitations, the newest first, used ones too, and the cursor of the next page (`None` at the end)."""
        found = self._store.invitations(cursor, limit + 1)
        then = found[limit - 1][0] if len(found) > limit else None
        shown = [each for _, each in found[:limit]]
        ids = {owner for each in shown for owner in (each.owner, each.names_for) if owner is not None}
        names = {each.id: each.name for each in self._store.owners(sorted(ids))}
        return [self._listed(each, names) for each in shown], then

    def _listed(self, invitation: Invitation, names: Mapping[str, str]) -> Invitation:
        """Return an invitation with its state and the names of owners, which `names` has by id."""
        state = InvitationState.EXPIRED if invitation.expires <= self._now() else InvitationState.OPEN
        return invitation._replace(
            owner=invitation.owner and names.get(invitation.owner),
            state=state if invitation.owner is None else InvitationState.USED,
            names_for=invitation.names_for and names.get(invitation.names_for),
        )

    # 2. Bots

    def create_bot(
        self,
        owner: str,
        name: str,
        version: str = "1",
        *,
        description: str = "",
        match_policy: MatchPolicy | None = None,
        agent: DeclaredAgent = _NO_AGENT,
        note: str = "",
        scopes: Sequence[str] | None = None,
        seed: str | None = None,
    ) -> tuple[Bot, str]:
        """Create a bot of this owner id and its first token, with these scopes or all. Return both, the token as
        text. `seed` as in `create_owner`. Raise `BadValue`, `NameTaken` or `NoSuchOwner`."""
        if owner == HOUSE:
            raise NameTaken("house bots are made by the service")
        _checked_bot_name(name)
        for _ in range(_ATTEMPTS):
            account = self.owner(owner)
            bot = Bot(
                "b" + self._letters(seed, "bot", 16),
                account.id,
                account.name,
                name,
                _checked_text("version", version, 1, 64),
                _checked_text("description", description, 0, 500, lines=True),
                self._now(),
                checked(match_policy or MatchPolicy()),
                agent=_checked_agent(agent),
            )
            token, text = self._mint(bot, scopes, note=note, seed=seed)
            outcome = self._store.add_bot(bot, token)
            if outcome == "taken":
                raise NameTaken(f"a bot {quoted(bot.full_name)} exists already")
            if outcome == "ok":
                return bot, text
        raise Overtaken("the owner was renamed too many times; retry the request")

    def update_bot(
        self,
        bot_id: str,
        *,
        version: str | None = None,
        description: str | None = None,
        match_policy: MatchPolicy | None = None,
        agent: DeclaredAgent | None = None,
        disabled: bool | None = None,
        name: str | None = None,
    ) -> Bot:
        """Change the given fields of a bot, all or none. After a new name, the old one leads to it, and nobody else can
        take it. Raise `BadValue`, `NameTaken` or `NoSuchBot`."""
        changes: dict[str, Any] = {}
        if version is not None:
            changes["version"] = _checked_text("version", version, 1, 64)
        if description is not None:
            changes["description"] = _checked_text("description", description, 0, 500, lines=True)
        if match_policy is not None:
            changes["match_policy"] = checked(match_policy)
        if agent is not None:
            changes["agent"] = _checked_agent(agent)
        if disabled is not None:
            changes["disabled"] = disabled
        if name is not None:
            changes["name"] = _checked_bot_name(name)
        return self._change_bot(bot_id, changes)

    def set_bot_disabled(self, bot_id: str, reason: str | None) -> Bot:
        """Disable a bot for the service with this reason, which its owner can't undo; `None` enables it. Raise
        `NoSuchBot`."""
        return self._change_bot(bot_id, {"disabled_reason": reason})

    def unavailable(self, bots: Sequence[Bot]) -> set[str]:
        """Return the ids of the bots that are disabled or whose owner is. Takes one round trip."""
        remote = [bot for bot in bots if not bot.house]
        if not remote:
            return set()
        off = self._store.disabled([part for bot in remote for part in (bot.id, bot.owner)])
        return {bot.id for bot, *flags in zip(remote, off[::2], off[1::2], strict=True) if any(flags)}

    def bot_by_id(self, bot_id: str) -> Bot:
        """Return the bot with this id. Raise `NoSuchBot`."""
        (bot,) = self.bots_by_ids([bot_id])
        if bot is None:
            raise NoSuchBot(f"there is no bot with the id {quoted(bot_id)}")
        return bot

    def bots_by_ids(self, ids: Sequence[str]) -> list[Bot | None]:
        """Return the bots with these ids, house bots too; `None` for an unknown id. Takes one round trip."""
        house = {
            bot_id: bot
            for bot_id in ids
            if bot_id.startswith(f"{HOUSE}-") and (bot := self._house_named(bot_id[len(HOUSE) + 1 :]))
        }
        wanted = [bot_id for bot_id in ids if bot_id not in house]
        found = {**house, **dict(zip(wanted, self._store.bots(wanted), strict=True))} if wanted else house
        return [found.get(bot_id) for bot_id in ids]

    def bot(self, owner_name: str, bot_name: str) -> Bot:
        """Return the bot `owner/bot`. Raise `NoSuchBot`."""
        full = f"{owner_name}/{bot_name}"
        if owner_name == HOUSE:
            house_bot = self._house_named(bot_name)
            if house_bot is None:
                raise NoSuchBot(f"there is no bot {quoted(full)}; the house has " + ", ".join(self._house))
            return house_bot
        bot_id = self._store.bot_id(full)
        if bot_id is None and (owner_id := self._store.owner_id(owner_name)) is not None:
            # The owner may have been renamed before it created the bot.
            bot_id = self._store.bot_id(f"{self.owner(owner_id).name}/{bot_name}")
        if bot_id is None:
            raise NoSuchBot(f"there is no bot {quoted(full)}")
        return self.bot_by_id(bot_id)

    @cached_property
    def _house(self) -> Mapping[str, Bot]:
        """The house bots that lists show, by name."""
        return {name: _house_bot(name, version) for name, version in sorted(self._house_versions.items())}

    def _house_named(self, name: str) -> Bot | None:
        version = self._house_versions.get(name)
        return None if version is None else _house_bot(name, version)

    def bots(
        self, owner_name: str | None = None, cursor: str | None = None, limit: int = paging.PAGE_LIMIT
    ) -> AccountPage:
        """Return bots in the order of their full names, house bots included. `cursor` is the last name of the
        previous page."""
        after, owner_name = cursor or "", owner_name and present_owner(owner_name)
        house = [
            (bot.full_name, bot.id)
            for bot in self._house.values()
            if bot.full_name > after and owner_name in (None, HOUSE)
        ]
        found = [] if owner_name == HOUSE else self._store.bot_names(owner_name, after, limit + 1)
        names = sorted(house + found)[: limit + 1]
        shown = names[:limit]
        bots = [bot for bot in self.bots_by_ids([bot_id for _, bot_id in shown]) if bot is not None]
        return AccountPage(bots, shown[-1][0] if len(names) > limit else None)

    def agents(self) -> list[Bot]:
        """Return the bots that declare a language model and have played."""
        return self._store.agents()

    # 3. Tokens

    def ask_token(
        self, pipeline: ReadPipeline, text: str, *, look_up: bool = False
    ) -> PendingReply[Token | None]:
        """Add a token look-up to the caller's pipeline. Without `look_up`, a remembered token is only verified.

        The reply is `None` if the token is unknown, revoked or expired, or its owner or bot is disabled. Read it right
        after the round trip.
        """
        if self._admin is not None and hmac.compare_digest(self._digest(text), self._admin):
            return Reply(lambda _: _settings_token())
        digest = self._digest_of_token(text)
        if digest is None:
            return Reply(lambda _: None)
        asked = self._remembered.ask(pipeline, digest, look_up=look_up)
        return Reply(lambda _: self._usable(asked.answer))

    def remembered_token(self, text: str) -> RememberedToken | None:
        """Return the token with this text, as it was when this process last looked it up. The caller must verify
        that it is still valid (`referee.storage.redis_grants`)."""
        return self._remembered.find(self._digest_of_token(text) or "")

    def issue_token(
        self,
        subject: Owner | Bot,
        scopes: Sequence[str] | None = None,
        expires: int | None = None,
        note: str = "",
        seed: str | None = None,
    ) -> tuple[Token, str]:
        """Create another token and return it with its text. `seed` as in `create_owner`. Raise `BadValue` for a scope
        that the subject can't have, an expiry in the past, or too many tokens."""
        self._make_room(subject.id)
        if isinstance(subject, Bot) and subject.house:
            raise NoSuchBot("house bots have no tokens")
        minted, text = self._mint(subject, scopes, expires, note, seed)
        self._store.add_token(minted)
        return minted.token, text

    def issue_admin_token(
        self, name: str, expires: int | None = None, note: str = "", seed: str | None = None
    ) -> tuple[Token, str]:
        """Create a token of a named admin, whose name the audit log then shows. Return it with its text. `seed` as in
        `create_owner`. Raise `BadValue` or `NameTaken`."""
        admin = _settings_token()._replace(name=_checked_new_name(name))
        self._make_room(ADMIN)
        minted, text = self._mint(admin, None, expires, note, seed)
        self._store.add_token(minted)
        return minted.token, text

    def issue_session(self, token: Token) -> str:
        """Create a token for a browser in which this token's holder has signed in, and return its text. It has the
        same scopes, and ends after `SESSION_S` or with the token. Raise `BadValue` for too many tokens, and
        `NoSuchToken` if the token is no longer valid or itself the token of a browser."""
        if token.parent:
            raise NoSuchToken("the token of a browser can't sign in another one")
        from_settings = token.id == ADMIN
        origin = "" if from_settings else self._valid(token.id).digest
        self._make_room(token.subject)
        ends = self._now() + SESSION_S * 1000
        minted, text = self._mint(token, sorted(token.scopes), ends, "browser")
        parent = self._admin_id if from_settings else token.id
        self._store.add_token(minted._replace(token=minted.token._replace(parent=parent), origin=origin))
        return text

    def token(self, token_id: str) -> Token:
        """Return the valid token with this id. Raise `NoSuchToken`."""
        return self._valid(token_id).token

    def tokens(self, subject: str) -> list[Token]:
        """Return the valid tokens of this bot or owner id, the oldest first."""
        now = self._now()
        found = {token.id: token for token in self._store.tokens_of(subject) if not token.expired(now)}
        found[self._admin_id] = found.get(self._admin_id) or _settings_token()
        valid = [
            token.bounded_by(found[token.parent]) if token.parent else token
            for token in found.values()
            if token.id != ADMIN and (not token.parent or token.parent in found)
        ]
        return sorted(valid, key=lambda token: (token.created, token.id))

    def _make_room(self, subject: str) -> None:
        """Remove expired tokens if the subject has the maximum number of tokens. Raise `BadValue` if none has
        expired."""
        tokens, now = self._store.tokens_of(subject), self._now()
        if len(tokens) < paging.MOST_EXAMINED:
            return
        expired = [token for token in tokens if token.expired(now)]
        if not expired:
            expected = f"at most {paging.MOST_EXAMINED} tokens of one bot or owner; revoke some"
            raise BadValue("tokens", len(tokens) + 1, expected)
        self._remove(expired)

    def _remove(self, tokens: Sequence[Token]) -> None:
        for token in tokens:
            minted = self._store.token_by_id(token.id)
            if minted is not None:
                self._store.remove_token(minted)

    def rotate(self, token_id: str, overlap_s: int = 0, seed: str | None = None) -> tuple[Token, str]:
        """Create a token like this one, which then expires after `overlap_s` or at its own expiry, if earlier. Return
        the new token and its text. `seed` as in `create_owner`. Raise `NoSuchToken` or `BadValue`."""
        if not 0 <= overlap_s <= 30 * 86_400:
            raise BadValue("overlap_s", overlap_s, "seconds, from 0 to 2592000 (30 days)")
        old = self._valid(token_id)
        was = old.token
        with suppress(BadValue):  # a rotation replaces a token, so it needs no room
            self._make_room(was.subject)
        until = self._now() + overlap_s * 1000
        ending = was._replace(expires=until if was.expires is None else min(until, was.expires))
        new, text = self._mint(was, list(was.scopes), was.expires, was.note, seed)
        new = new._replace(token=new.token._replace(parent=was.parent), origin=old.origin)
        if not self._store.replace_token(old._replace(token=ending), new):
            raise NoSuchToken(f"there is no valid token with the id {quoted(token_id)}")
        return new.token, text

    def revoke(self, token_id: str) -> None:
        """Revoke a token at once, with the sessions of browsers that signed in with it. Raise `NoSuchToken`."""
        revoked = self._valid(token_id)
        self._store.remove_token(revoked)
        # The sessions are over already, since their parent is gone.
        siblings = self._store.tokens_of(revoked.token.subject)
        self._remove([token for token in siblings if token.parent == token_id])

    def replace_owner_token(self, owner: Owner, note: str = "", seed: str | None = None) -> tuple[Token, str]:
        """Create a token of an owner and revoke all its others; those of its bots stay. Return the new token and its
        text. `seed` as in `create_owner`. Raise `BadValue`."""
        old = self.tokens(owner.id)
        with suppress(BadValue):  # the replacement needs no room
            self._make_room(owner.id)
        minted, text = self._mint(owner, note=note, seed=seed)
        self._store.add_token(minted)
        for token in old:
            if token.id != minted.token.id:
                with suppress(NoSuchToken):  # revoked meanwhile
                    self.revoke(token.id)
        return minted.token, text

    # Inside

    def _usable(self, token: Token | None) -> Token | None:
        """Return a stored token, unless it has expired, or the token of the settings from which it came has changed."""
        if token is None or token.expired(self._now()):
            return None
        came_from_other = token.parent.startswith(f"{ADMIN}-") and token.parent != self._admin_id
        return None if came_from_other else token

    def _change_bot(self, bot_id: str, changes: Mapping[str, Any]) -> Bot:
        for _ in range(_ATTEMPTS):
            bot = self.bot_by_id(bot_id)
            if bot.house:
                raise NoSuchBot("house bots belong to the service")
            changed = bot._replace(**changes)
            declares = changed.agent != bot.agent
            if changed.name != bot.name:
                renamed = bot._replace(name=changed.name)
                outcome = self._store.rename([bot], [renamed])
                if outcome == "taken":
                    raise NameTaken(f"a bot {quoted(changed.full_name)} exists already")
                if outcome != "ok":
                    continue
                self.learn_names(at_once=True)
                bot = renamed
            if self._store.change_bot(bot, changed):
                if declares:
                    self._declares(bot.id)
                return changed
        raise Overtaken("the bot changed too many times; retry the request")

    def _digest(self, text: str) -> str:
        return hmac.new(self._pepper, text.encode(), hashlib.sha256).hexdigest()

    def _letters(self, seed: str | None, what: str, length: int) -> str:
        if seed is None:
            return random_text(length)
        return in_letters(hmac.digest(self._pepper, f"{what}\0{seed}".encode(), "sha256")[:length])

    def _valid(self, token_id: str) -> NewToken:
        found = self._store.token_by_id(token_id)
        if found is None or found.token.expired(self._now()):
            raise NoSuchToken(f"there is no valid token with the id {quoted(token_id)}")
        return found

    def _mint(
        self,
        subject: Owner | Bot | Token,
        scopes: Sequence[str] | None = None,
        expires: int | None = None,
        note: str = "",
        seed: str | None = None,
    ) -> tuple[NewToken, str]:
        """Return a new token of this owner or bot, or of the subject of another token, and its text."""
        now = self._now()
        if expires is not None and expires <= now:
            raise BadValue("expires", text_of(expires), f"an instant after now, {text_of(now)}")
        if isinstance(subject, Owner):
            kind, owner, bot, name = TokenKind.OWNER, subject.id, None, subject.name
        elif isinstance(subject, Bot):
            kind, owner, bot, name = TokenKind.BOT, subject.owner, subject.id, subject.full_name
        else:
            kind, owner, bot, name = subject.kind, subject.owner, subject.bot, subject.name
        text = token_text(self._letters(seed, "token text", 26))
        ident, note = "t" + self._letters(seed, "token", 16), _checked_text("note", note, 0, 200)
        token = Token(ident, kind, owner, bot, name, checked_scopes(kind, scopes), now, expires, note)
        return NewToken(token, self._digest(text)), text


def _settings_token() -> Token:
    return Token(ADMIN, TokenKind.ADMIN, ADMIN, None, ADMIN, SCOPES[TokenKind.ADMIN], 0, None)


def is_name(text: str) -> bool:
    """Return whether a text has the form of a name of an owner or bot."""
    return NAME.fullmatch(text) is not None


def _house_bot(name: str, version: str) -> Bot:
    return Bot(
        f"{HOUSE}-{name}", HOUSE, HOUSE, name, version, "A house bot.", 0, MatchPolicy(None, 1_000_000)
    )


def _checked_name(field: str, name: str) -> str:
    if not is_name(name):
        raise BadValue(field, name, "2 to 32 of a-z, 0-9 and -, the first no -")
    return name


def _checked_new_name(name: str) -> str:
    """Return the name that an owner or admin chooses. Raise `BadValue` or `NameTaken`."""
    if is_reserved(_checked_name("name", name)):
        raise NameTaken(f"the name {quoted(name)} is reserved or resembles a reserved one")
    return name


def checked_real_name(owner: Owner, name: str) -> str:
    """Return the real name that an owner gives. Raise `BadValue`."""
    if name and not owner.names_for:
        raise BadValue("real_name", name, "nothing, because no invitation asked for it")
    return _checked_text("real_name", name, 0, MOST_REAL_NAME)


def _forgotten(bot: Bot, owner_name: str, name: str) -> Bot:
    return bot._replace(owner_name=owner_name, name=name, description="", agent=_NO_AGENT)


def _checked_bot_name(name: str) -> str:
    """Return the name of a bot. Raise `BadValue` or `NameTaken`."""
    if _checked_name("name", name) == PERSON:
        raise NameTaken(f"the name {quoted(name)} stands for the owner who plays on the web site")
    return name


def _checked_agent(agent: DeclaredAgent) -> DeclaredAgent:
    """Return what is declared. Raise `BadValue`."""
    for name, value in agent._asdict().items():
        _checked_text(f"agent.{name}", value, 0, MOST_DECLARED)
    return agent


def _checked_text(field: str, text: str, least: int, most: int, *, lines: bool = False) -> str:
    """Return a printable text of this length; `lines` permits line ends. Raise `BadValue`."""
    shown = text.replace("\n", " ") if lines else text
    if not least <= len(text) <= most or not shown.isprintable() or (least and is_blank(text)):
        expected = f"{least} to {most} printable characters" + (" and line ends" * lines)
        raise BadValue(field, text, expected + (", not all blank" if least else ""))
    return text


class HouseVersions(Mapping[str, str]):
    """The versions of house bots by name. Finds those with a number of playouts, but does not iterate over them."""

    def __init__(self, players: Players, thinkers: Mapping[str, ThinkingPlayer]) -> None:
        self._bots: Sequence[Mapping[str, HousePlayer | ThinkingPlayer]] = (players, thinkers)

    def __getitem__(self, name: str) -> str:
        for bots in self._bots:
            if (bot := bots.get(name)) is not None:
                return bot.version
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return iter(sorted({name for bots in self._bots for name in bots}))

    def __len__(self) -> int:
        return len(set(self))
