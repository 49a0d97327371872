"""Owners, their bots, and the tokens that speak for them (`league.accounts.tokens`).

A token's text is shown once. What is kept is its HMAC-SHA256 under the server's pepper, and a token is found by
looking that digest up: nobody without the pepper can make texts whose digests share a chosen beginning, so
how long a look-up takes tells nothing about any token, and nothing secret is ever compared byte by byte.
House bots belong to the owner `house`, have ids `house-<name>` and no tokens; the composition root names them.
"""

from __future__ import annotations

import hashlib
import hmac
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any, Final, NamedTuple, Protocol

from engine.quoting import quoted
from league.accounts.names import is_blank, is_reserved
from league.accounts.policy import NAME, MatchPolicy, checked
from league.accounts.tokens import (
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
from redisio.connection import Reply
from referee.decoding import decoded
from referee.ids import random_text
from referee.storage import paging
from referee.storage.store import PendingReply, ReadPipeline

HOUSE: Final = "house"
"""The owner of the house bots: its id and its name."""
ADMIN: Final = "admin"
"""The subject of all tokens of those who run the service: of the one in the settings, and of those with names."""
_ATTEMPTS: Final = 16


class Owner(NamedTuple):
    """A person or a team. Instants are ms since 1970."""

    id: str
    name: str
    created: int
    disabled: bool = False
    reason: str = ""
    """Why it is disabled."""


class Bot(NamedTuple):
    """A bot. Its id and its name never change; its owner sets the version."""

    id: str
    owner: str
    """The owner's id."""
    owner_name: str
    name: str
    version: str
    description: str
    created: int
    match_policy: MatchPolicy = MatchPolicy()
    disabled: bool = False
    """By its owner, who may enable it again."""
    disabled_reason: str | None = None
    """Why the service disabled it, which only the service takes back."""

    @property
    def off(self) -> bool:
        """Whether its tokens are good for nothing, and it is seated nowhere."""
        return self.disabled or self.disabled_reason is not None

    @property
    def full_name(self) -> str:
        """`owner/bot`."""
        return f"{self.owner_name}/{self.name}"

    @property
    def house(self) -> bool:
        """Whether the referee asks it itself."""
        return self.owner == HOUSE

    def to_json(self) -> dict[str, Any]:
        """For the store."""
        return {**self._asdict(), "match_policy": self.match_policy.to_json()}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Bot:
        """From the store."""
        policy = MatchPolicy.from_json(data["match_policy"] if "match_policy" in data else data["accepts"])
        return decoded(cls, {**data, "match_policy": policy}, {"barred": "disabled_reason"})


class AccountPage(NamedTuple):
    """Some bots in the order of their full names; `cursor` goes on after them, `None` at the end."""

    bots: list[Bot]
    cursor: str | None


class AccountStore(Protocol):
    """What accounts need of a store: the port. `league.accounts.redis` is its Redis form."""

    def add_owner(self, owner: Owner, token: NewToken, invitation: str | None, now: int) -> str:
        """`ok`, `taken` if the name is, `invitation` if this digest is of no living invitation; an invitation
        is used up by the owner that it made and by nothing else. `ok` again for two minutes for an owner of this very
        id, whose request is made again."""

    def add_bot(self, bot: Bot, token: NewToken) -> str:
        """`ok`, or `taken` if the owner has a bot of this name; `ok` again for two minutes for one of this very id."""

    def add_token(self, token: NewToken) -> None:
        """A further token."""

    def add_invitation(self, digest: str, expires: int) -> None:
        """An invitation for one owner."""

    def replace_token(self, old: NewToken, new: NewToken) -> bool:
        """A new token, and the old one with its new expiry; false, and nothing done, if the old one is gone."""

    def remove_token(self, token: NewToken) -> None:
        """The token is no more."""

    def ask_token(self, trip: ReadPipeline, digest: str) -> PendingReply[Token | None]:
        """The token with this digest, if neither its bot nor its owner is disabled."""

    def token_by_id(self, token_id: str) -> NewToken | None:
        """The token with this id."""

    def tokens_of(self, subject: str) -> list[Token]:
        """The tokens of a bot or an owner."""

    def owner(self, owner_id: str) -> Owner | None:
        """The owner with this id."""

    def owner_id(self, name: str) -> str | None:
        """The id of the owner with this name."""

    def bots(self, ids: Sequence[str]) -> list[Bot | None]:
        """The bots with these ids."""

    def bot_id(self, full_name: str) -> str | None:
        """The id of `owner/bot`."""

    def bot_names(self, owner_name: str | None, after: str, limit: int) -> list[tuple[str, str]]:
        """Full names and ids of bots, of one owner or all, in the order of full names, after this one."""

    def change_bot(self, before: Bot, after: Bot) -> bool:
        """Put `after` in the place of `before`; false, and nothing done, if it is not what stands there."""

    def change_owner(self, before: Owner, after: Owner) -> bool:
        """The same of an owner."""

    def disabled(self, ids: Sequence[str]) -> list[bool]:
        """Whether these bots and owners are disabled."""


def wall_clock() -> int:
    """Ms since 1970, by this machine."""
    return time.time_ns() // 1_000_000


class Accounts:
    """See the module. Safe to share between greenlets and threads."""

    def __init__(
        self,
        store: AccountStore,
        pepper: str,
        house: Mapping[str, str] | None = None,
        *,
        by_invitation: bool = False,
        admin_token: str | None = None,
        now: Callable[[], int] = wall_clock,
    ) -> None:
        """`house` has the versions of the house bots by name. `admin_token` is a text of the operator's own."""
        self._store = store
        self._pepper = hashlib.sha256(b"kozyr-token\0" + pepper.encode()).digest()
        self._house = {name: _house_bot(name, version) for name, version in sorted((house or {}).items())}
        # Reckoned once for a bot that comes again and again; whether it is valid is asked each time.
        self._digest_of_token = lru_cache(maxsize=4096)(
            lambda text: self._digest(text) if is_token(text) else None
        )
        self._admin = None if admin_token is None else self._digest(admin_token)
        self.by_invitation = by_invitation
        self._now = now

    # 1. Owners

    def create_owner(
        self, name: str, *, invitation: str | None = None, note: str = "", seed: str | None = None
    ) -> tuple[Owner, str]:
        """A new owner and the text of its first token. With a `seed` (of the request, say) both follow from it, so
        that doing it again soon after a crash (two minutes) gives the same. Raises `BadValue`, `NameTaken`,
        `BadInvitation`."""
        _checked_name("name", name)
        if is_reserved(name):
            raise NameTaken(f"the name {quoted(name)} is reserved, or reads like one that is")
        code: str | None = None
        if self.by_invitation:
            if not invitation:
                raise BadInvitation("owners register by invitation here; send the code of one")
            code = self._digest(invitation)
        owner = Owner("o" + self._letters(seed, "owner", 16), name, self._now())
        token, text = self._mint(TokenKind.OWNER, owner.id, None, name, None, None, note, seed)
        said = self._store.add_owner(owner, token, code, self._now())
        if said == "invitation":
            raise BadInvitation("this invitation is unknown, used or expired")
        if said == "taken":
            raise NameTaken(f"there is an owner {quoted(name)} already")
        return owner, text

    def owner(self, owner_id: str) -> Owner:
        """The owner with this id. Raises `NoSuchOwner`."""
        if owner_id == HOUSE:
            return Owner(HOUSE, HOUSE, 0)
        owner = self._store.owner(owner_id)
        if owner is None:
            raise NoSuchOwner(f"there is no owner {quoted(owner_id)}")
        return owner

    def owner_by_name(self, name: str) -> Owner:
        """The owner with this name. Raises `NoSuchOwner`."""
        owner_id = HOUSE if name == HOUSE else self._store.owner_id(name)
        if owner_id is None:
            raise NoSuchOwner(f"there is no owner {quoted(name)}")
        return self.owner(owner_id)

    def disable_owner(self, owner_id: str, disabled: bool = True, reason: str = "") -> Owner:
        """Whether the owner's tokens, and those of its bots, are good for anything, and its bots are seated. Raises
        `NoSuchOwner`."""
        for _ in range(_ATTEMPTS):
            owner = self.owner(owner_id)
            if owner.id == HOUSE:
                raise NoSuchOwner("the house is the service's own")
            changed = owner._replace(disabled=disabled, reason=reason if disabled else "")
            if self._store.change_owner(owner, changed):
                return changed
        raise Overtaken("the owner changed too many times meanwhile")

    def invite(self, expires_in_s: int = 7 * 86_400, seed: str | None = None) -> str:
        """The code of a new invitation for one owner; shown once, kept as its digest. `seed` as in `create_owner`."""
        text = "invite_" + self._letters(seed, "invitation", 26)
        self._store.add_invitation(self._digest(text), self._now() + expires_in_s * 1000)
        return text

    # 2. Bots

    def create_bot(
        self,
        owner: str,
        name: str,
        version: str = "1",
        *,
        description: str = "",
        match_policy: MatchPolicy | None = None,
        note: str = "",
        scopes: Sequence[str] | None = None,
        seed: str | None = None,
    ) -> tuple[Bot, str]:
        """A new bot of the owner with this id, and the text of its first token, with these scopes or all; `seed` as in
        `create_owner`. Raises `BadValue`, `NameTaken`, `NoSuchOwner`."""
        _checked_name("name", name)
        if owner == HOUSE:
            raise NameTaken("house bots are made by the service")
        of = self.owner(owner)
        bot = Bot(
            "b" + self._letters(seed, "bot", 16),
            of.id,
            of.name,
            name,
            _checked_text("version", version, 1, 64),
            _checked_text("description", description, 0, 500, lines=True),
            self._now(),
            checked(match_policy or MatchPolicy()),
        )
        token, text = self._mint(TokenKind.BOT, of.id, bot.id, bot.full_name, scopes, None, note, seed)
        if self._store.add_bot(bot, token) == "taken":
            raise NameTaken(f"there is a bot {quoted(bot.full_name)} already")
        return bot, text

    def update_bot(
        self,
        bot_id: str,
        *,
        version: str | None = None,
        description: str | None = None,
        match_policy: MatchPolicy | None = None,
        disabled: bool | None = None,
    ) -> Bot:
        """The bot with what is given changed. Raises `BadValue`, `NoSuchBot`."""
        changes: dict[str, Any] = {}
        if version is not None:
            changes["version"] = _checked_text("version", version, 1, 64)
        if description is not None:
            changes["description"] = _checked_text("description", description, 0, 500, lines=True)
        if match_policy is not None:
            changes["match_policy"] = checked(match_policy)
        if disabled is not None:
            changes["disabled"] = disabled
        return self._change_bot(bot_id, changes)

    def bar_bot(self, bot_id: str, reason: str | None) -> Bot:
        """The bot disabled by the service for this reason, which its owner can't undo; `None` takes that back. Raises
        `NoSuchBot`."""
        return self._change_bot(bot_id, {"disabled_reason": reason})

    def unavailable(self, bots: Sequence[Bot]) -> set[str]:
        """The ids of those of these bots that are disabled, or whose owner is. In one round trip."""
        remote = [bot for bot in bots if not bot.house]
        if not remote:
            return set()
        off = self._store.disabled([part for bot in remote for part in (bot.id, bot.owner)])
        return {bot.id for bot, *said in zip(remote, off[::2], off[1::2], strict=True) if any(said)}

    def bot_by_id(self, bot_id: str) -> Bot:
        """The bot with this id. Raises `NoSuchBot`."""
        (bot,) = self.bots_by_ids([bot_id])
        if bot is None:
            raise NoSuchBot(f"there is no bot with the id {quoted(bot_id)}")
        return bot

    def bots_by_ids(self, ids: Sequence[str]) -> list[Bot | None]:
        """The bots with these ids, house bots too, in one round trip; `None` for an id that no bot has."""
        house = {bot.id: bot for bot in self._house.values()}
        wanted = [bot_id for bot_id in ids if bot_id not in house]
        found = {**house, **dict(zip(wanted, self._store.bots(wanted), strict=True))} if wanted else house
        return [found.get(bot_id) for bot_id in ids]

    def bot(self, owner_name: str, bot_name: str) -> Bot:
        """`owner/bot`. Raises `NoSuchBot`."""
        full = f"{owner_name}/{bot_name}"
        if owner_name == HOUSE:
            if bot_name not in self._house:
                raise NoSuchBot(f"there is no bot {quoted(full)}; the house has " + ", ".join(self._house))
            return self._house[bot_name]
        bot_id = self._store.bot_id(full)
        if bot_id is None:
            raise NoSuchBot(f"there is no bot {quoted(full)}")
        return self.bot_by_id(bot_id)

    def bots(self, owner_name: str | None = None, cursor: str | None = None, limit: int = 50) -> AccountPage:
        """Bots in the order of their full names, house bots among them. `cursor` is the last name of the page
        before."""
        after = cursor or ""
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

    # 3. Tokens

    def ask_token(self, trip: ReadPipeline, text: str) -> PendingReply[Token | None]:
        """Add the look-up of a token to a trip that somebody else makes. `None` for one that is unknown,
        revoked or expired, or whose owner or bot is disabled."""
        if self._admin is not None and hmac.compare_digest(self._digest(text), self._admin):
            token = Token(ADMIN, TokenKind.ADMIN, ADMIN, None, ADMIN, SCOPES[TokenKind.ADMIN], 0, None)
            return Reply(lambda _: token)
        digest = self._digest_of_token(text)
        if digest is None:
            return Reply(lambda _: None)
        return _ActiveTokens(self._store.ask_token(trip, digest), self._now)

    def issue_token(
        self,
        subject: Owner | Bot,
        scopes: Sequence[str] | None = None,
        expires: int | None = None,
        note: str = "",
        seed: str | None = None,
    ) -> tuple[Token, str]:
        """A further token and its text; `seed` as in `create_owner`. Raises `BadValue` for a scope that the subject
        can't have, for an expiry that is past, and where the subject has as many tokens as a list examines."""
        self._make_room(subject.id)
        if isinstance(subject, Owner):
            minted, text = self._mint(
                TokenKind.OWNER, subject.id, None, subject.name, scopes, expires, note, seed
            )
        else:
            if subject.house:
                raise NoSuchBot("house bots have no tokens")
            minted, text = self._mint(
                TokenKind.BOT, subject.owner, subject.id, subject.full_name, scopes, expires, note, seed
            )
        self._store.add_token(minted)
        return minted.token, text

    def issue_admin_token(
        self, name: str, expires: int | None = None, note: str = "", seed: str | None = None
    ) -> tuple[Token, str]:
        """A token of an admin of this name, and its text: with it, what is done has a name in the audit log. `seed` as
        in `create_owner`. Raises `BadValue`, `NameTaken`."""
        if is_reserved(name):
            raise NameTaken(f"the name {quoted(name)} is reserved, or reads like one that is")
        self._make_room(ADMIN)
        minted, text = self._mint(
            TokenKind.ADMIN, ADMIN, None, _checked_name("name", name), None, expires, note, seed
        )
        self._store.add_token(minted)
        return minted.token, text

    def token(self, token_id: str) -> Token:
        """The living token with this id. Raises `NoSuchToken`."""
        return self._living(token_id).token

    def tokens(self, subject: str) -> list[Token]:
        """The living tokens of the bot or owner with this id, the oldest first."""
        now = self._now()
        living = [token for token in self._store.tokens_of(subject) if not token.expired(now)]
        return sorted(living, key=lambda token: (token.created, token.id))

    def _make_room(self, subject: str) -> None:
        """Forget expired tokens where there are as many tokens as a list examines. Raises `BadValue` if none is."""
        tokens, now = self._store.tokens_of(subject), self._now()
        if len(tokens) < paging.MOST_EXAMINED:
            return
        expired = [token for token in tokens if token.expired(now)]
        if not expired:
            expected = f"at most {paging.MOST_EXAMINED} tokens of one bot or owner; revoke some"
            raise BadValue("tokens", len(tokens) + 1, expected)
        for token in expired:
            minted = self._store.token_by_id(token.id)
            if minted is not None:
                self._store.remove_token(minted)

    def rotate(self, token_id: str, overlap_s: int = 0, seed: str | None = None) -> tuple[Token, str]:
        """A new token like this one, which itself expires after the overlap (or when it would have anyway);
        `seed` as in `create_owner`. Raises `NoSuchToken`, `BadValue`."""
        if not 0 <= overlap_s <= 30 * 86_400:
            raise BadValue("overlap_s", overlap_s, "seconds, from 0 to 2592000 (30 days)")
        old = self._living(token_id)
        was = old.token
        with suppress(BadValue):  # a rotation is never refused for want of room
            self._make_room(was.subject)
        until = self._now() + overlap_s * 1000
        ending = was._replace(expires=until if was.expires is None else min(until, was.expires))
        new, text = self._mint(
            was.kind, was.owner, was.bot, was.name, list(was.scopes), was.expires, was.note, seed
        )
        if not self._store.replace_token(old._replace(token=ending), new):
            raise NoSuchToken(f"there is no living token with the id {quoted(token_id)}")
        return new.token, text

    def revoke(self, token_id: str) -> None:
        """The token is good for nothing from now on. Raises `NoSuchToken`."""
        self._store.remove_token(self._living(token_id))

    # Inside

    def _change_bot(self, bot_id: str, changes: Mapping[str, Any]) -> Bot:
        for _ in range(_ATTEMPTS):
            bot = self.bot_by_id(bot_id)
            if bot.house:
                raise NoSuchBot("house bots are the service's own")
            changed = bot._replace(**changes)
            if self._store.change_bot(bot, changed):
                return changed
        raise Overtaken("the bot changed too many times meanwhile")

    def _digest(self, text: str) -> str:
        return hmac.new(self._pepper, text.encode(), hashlib.sha256).hexdigest()

    def _letters(self, seed: str | None, what: str, length: int) -> str:
        if seed is None:
            return random_text(length)
        return in_letters(hmac.digest(self._pepper, f"{what}\0{seed}".encode(), "sha256")[:length])

    def _living(self, token_id: str) -> NewToken:
        found = self._store.token_by_id(token_id)
        if found is None or found.token.expired(self._now()):
            raise NoSuchToken(f"there is no living token with the id {quoted(token_id)}")
        return found

    def _mint(
        self,
        kind: TokenKind,
        owner: str,
        bot: str | None,
        name: str,
        scopes: Sequence[str] | None,
        expires: int | None,
        note: str,
        seed: str | None = None,
    ) -> tuple[NewToken, str]:
        now = self._now()
        if expires is not None and expires <= now:
            raise BadValue("expires", expires, "an instant that is still to come")
        text = token_text(self._letters(seed, "token text", 26))
        token = Token(
            "t" + self._letters(seed, "token", 16),
            kind,
            owner,
            bot,
            name,
            checked_scopes(kind, scopes),
            now,
            expires,
            _checked_text("note", note, 0, 200),
        )
        return NewToken(token, self._digest(text)), text


class _ActiveTokens(Reply["Token | None"]):
    """The look-up of a token that may have expired."""

    __slots__ = ("_asked", "_now")

    def __init__(self, asked: PendingReply[Token | None], now: Callable[[], int]) -> None:
        super().__init__(lambda _: None)
        self._asked, self._now = asked, now

    @property
    def answer(self) -> Token | None:
        """See `Accounts.ask_token`."""
        token = self._asked.answer
        return None if token is None or token.expired(self._now()) else token


def is_name(text: str) -> bool:
    """Whether a text has the form of an owner's or a bot's name."""
    return NAME.fullmatch(text) is not None


def _house_bot(name: str, version: str) -> Bot:
    return Bot(
        f"{HOUSE}-{name}", HOUSE, HOUSE, name, version, "A house bot.", 0, MatchPolicy(None, 1_000_000)
    )


def _checked_name(field: str, name: str) -> str:
    if not is_name(name):
        raise BadValue(field, name, "2 to 32 of a-z, 0-9 and -, the first no -")
    return name


def _checked_text(field: str, text: str, least: int, most: int, *, lines: bool = False) -> str:
    """The text, if it is printable; `lines`: there may be several."""
    shown = text.replace("\n", " ") if lines else text
    if not least <= len(text) <= most or not shown.isprintable() or (least and is_blank(text)):
        expected = f"{least} to {most} printable characters" + (" and line ends" * lines)
        raise BadValue(field, text, expected + (", not all blank" if least else ""))
    return text
