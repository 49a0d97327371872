"""Accounts in Redis. They are small and change rarely, so they share one hash tag, and each operation is one script.

kozyr:{accounts}:owners         hash  owner id -> JSON
kozyr:{accounts}:owner-names    hash  name -> owner id
kozyr:{accounts}:bots           hash  bot id -> JSON
kozyr:{accounts}:bot-ids        hash  `owner/bot` -> bot id
kozyr:{accounts}:bot-names      zset  `owner/bot`, all with score 0, for pages
kozyr:{accounts}:agents         set   ids of the bots that declare a model, and of some that did
kozyr:{accounts}:last-played    zset  ids of the bots that have played by the end (ms) of their last counted match
kozyr:{accounts}:games          zset  ids of these bots by the number of their counted matches; both written by
                                      `league.fitness.statistics`
kozyr:{accounts}:token:DIGEST   hash  doc (JSON), owner, bot, parent (the key of another token, or '')
kozyr:{accounts}:token-ids      hash  token id -> digest
kozyr:{accounts}:tokens:SUBJECT set   token ids of a bot or owner
kozyr:{accounts}:invitations    zset  digests of invitations by their expiry
kozyr:{accounts}:invitation-list  zset  `created-digest` of invitations, used ones too, all with score 0, for pages
kozyr:{accounts}:invited        hash  digest -> for whom the invitation is (JSON)
kozyr:{accounts}:invitations-used  hash  digest -> id of the owner who used it, and when
kozyr:{accounts}:disabled       set   ids of disabled owners and bots
kozyr:{accounts}:renamed        hash  id of a renamed owner or bot -> its names (JSON), the oldest first
kozyr:{accounts}:renamings      string  the number of renamings
kozyr:{accounts}:checking       hash  bot id -> match of its running check (`league.fitness.checks`)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import orjson

from league.accounts.invitations import Invitation
from league.accounts.model import Bot, Owner
from league.accounts.tokens import NewToken, Token
from records.decoding import decoded
from records.names import current_name
from redisio.connection import Redis
from redisio.scripts import Command, Script
from referee.storage.redis_grants import grants_key, renew_grants
from referee.storage.store import PendingReply, ReadPipeline

ADD_OWNER: Final = Script("league.accounts", "account_token.lua", "account_owner.lua")
ADD_BOT: Final = Script("league.accounts", "account_token.lua", "account_bot.lua")
ADD_TOKEN: Final = Script("league.accounts", "account_token.lua", "account_issue.lua")
READ_TOKEN: Final = Script("league.accounts", "account_read.lua")
CHANGE: Final = Script("league.accounts", "account_change.lua")
RENAME: Final = Script("league.accounts", "account_rename.lua")

TAG: Final = "kozyr:{accounts}:"
OWNERS, OWNER_NAMES = TAG + "owners", TAG + "owner-names"
AGENTS, PLAYED, GAMES = TAG + "agents", TAG + "last-played", TAG + "games"
BOTS, BOT_IDS, BOT_NAMES = TAG + "bots", TAG + "bot-ids", TAG + "bot-names"
TOKEN_IDS, INVITATIONS, DISABLED = TAG + "token-ids", TAG + "invitations", TAG + "disabled"
INVITATION_LIST, INVITED, USED = TAG + "invitation-list", TAG + "invited", TAG + "invitations-used"
CHECKING: Final = TAG + "checking"
RENAMED, RENAMINGS = TAG + "renamed", TAG + "renamings"


def _invitation(raw: bytes, use: bytes | None) -> Invitation:
    invitation = decoded(Invitation, orjson.loads(raw))
    if use is None:
        return invitation
    owner, _, at = use.decode().partition(" ")
    return invitation._replace(owner=owner, used=int(at))


def token_key(digest: str) -> str:
    return f"{TAG}token:{digest}"


class RedisAccountStore:
    """The store of owners, bots, tokens and invitations."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    def add_owner(self, owner: Owner, token: NewToken, invitation: str | None, now: int) -> str:
        """Add an owner with its first token and use up the invitation. Return `ok`, `taken` (the name) or
        `invitation` (not valid). For two minutes it is `ok` again for the same owner id, so that its request can be
        repeated."""
        keys = (*_token_keys(token), OWNERS, OWNER_NAMES, INVITATIONS, USED)
        answer = self._redis.one(
            *ADD_OWNER.call(
                keys,
                *_token_arguments(token),
                owner.id,
                owner.name,
                _owner_json(owner),
                invitation or "",
                now,
            )
        )
        return str(answer.decode())

    def add_bot(self, bot: Bot, token: NewToken) -> str:
        """Add a bot with its first token. Return `ok`, or without effect `taken` if the owner has a bot with this name,
        or `again` if the owner has another name now. For two minutes it is `ok` again for the same bot id."""
        self._list_agent(bot)
        keys = (*_token_keys(token), BOTS, BOT_IDS, BOT_NAMES, OWNERS)
        answer = self._redis.one(
            *ADD_BOT.call(
                keys,
                *_token_arguments(token),
                bot.id,
                bot.full_name,
                orjson.dumps(bot.to_json()),
                token.token.created,
                *(bot.owner, bot.owner_name),
            )
        )
        return str(answer.decode())

    def add_token(self, token: NewToken) -> None:
        self._redis.one(*ADD_TOKEN.call(_token_keys(token), *_token_arguments(token)))

    def add_invitation(self, digest: str, invitation: Invitation) -> None:
        """Add an invitation, if there is none with this digest. A used one stays used."""
        if not self._redis.one("HEXISTS", INVITED, digest):
            self._redis.all(
                [
                    ("ZADD", INVITATIONS, invitation.expires, digest),
                    ("ZADD", INVITATION_LIST, 0, f"{invitation.created:015d}-{digest}"),
                    ("HSET", INVITED, digest, orjson.dumps(invitation._asdict())),
                ]
            )

    def invitations(self, before: str | None, limit: int) -> list[tuple[str, Invitation]]:
        """Return cursors and invitations after this cursor, the newest first."""
        top = "+" if before is None else f"({before}"
        found = self._redis.one("ZREVRANGEBYLEX", INVITATION_LIST, top, "-", "LIMIT", 0, limit)
        digests = [raw.partition(b"-")[2] for raw in found]
        if not digests:
            return []
        raws, uses = self._redis.all([("HMGET", INVITED, *digests), ("HMGET", USED, *digests)])
        return [
            (cursor.decode(), _invitation(raw, use))
            for cursor, raw, use in zip(found, raws, uses, strict=True)
            if raw is not None
        ]

    def forget_invitation(self, owner: str) -> None:
        """Forget for whom the invitation was that this owner has used."""
        flat = self._redis.one("HGETALL", USED)
        for digest, use in zip(flat[::2], flat[1::2], strict=True):
            if use.decode().partition(" ")[0] == owner:
                raw = self._redis.one("HGET", INVITED, digest)
                if raw is not None:
                    blank = orjson.loads(raw) | {"name": "", "note": ""}
                    self._redis.one("HSET", INVITED, digest, orjson.dumps(blank))

    def invitation(self, digest: str) -> Invitation | None:
        """Return the invitation with this digest, used or not."""
        raw, use = self._redis.all([("HGET", INVITED, digest), ("HGET", USED, digest)])
        return None if raw is None else _invitation(raw, use)

    def replace_token(self, old: NewToken, new: NewToken) -> bool:
        """Add a token and set the old one's new expiry. Return false, without effect, if the old one is gone."""
        keys, ending = (*_token_keys(new), token_key(old.digest)), orjson.dumps(old.token.to_json())
        replaced = self._redis.one(*ADD_TOKEN.call(keys, *_token_arguments(new), ending))
        renew_grants(self._redis)
        return bool(replaced)

    def remove_token(self, token: NewToken) -> None:
        """Remove the token itself first: a crash in between must not leave it usable."""
        key, ids, subject = _token_keys(token)
        commands: list[Command] = [
            ("DEL", key),
            ("HDEL", ids, token.token.id),
            ("SREM", subject, token.token.id),
        ]
        self._redis.run(commands)
        renew_grants(self._redis)

    def ask_token(self, pipeline: ReadPipeline, digest: str) -> PendingReply[Token | None]:
        """Add a token look-up to a pipeline. The reply is `None` if the token, its bot or its owner is invalid or
        disabled."""
        return pipeline.ask(_asked, READ_TOKEN.call((token_key(digest), DISABLED, CHECKING)))

    def token(self, digest: str) -> Token | None:
        """Look a token up, as `ask_token` does."""
        return _asked(self._redis.one(*READ_TOKEN.call((token_key(digest), DISABLED, CHECKING))))

    def ask_grants(self, pipeline: ReadPipeline, bucket: str) -> PendingReply[bytes]:
        """Add the grants of a bucket to a pipeline. They change before a revocation, a ban or the begin of a check is
        acknowledged."""
        return pipeline.ask(lambda raw: raw or b"", ("GET", grants_key(bucket)))

    def token_by_id(self, token_id: str) -> NewToken | None:
        digest = self._redis.one("HGET", TOKEN_IDS, token_id)
        if digest is None:
            return None
        raw, parent = self._redis.one("HMGET", token_key(digest.decode()), "doc", "parent")
        token = _token(raw)
        if token is None:
            return None
        return NewToken(token, digest.decode(), (parent or b"").decode().removeprefix(token_key("")))

    def tokens_of(self, subject: str) -> list[Token]:
        ids = self._redis.one("SMEMBERS", f"{TAG}tokens:{subject}")
        if not ids:
            return []
        digests = [found for found in self._redis.one("HMGET", TOKEN_IDS, *ids) if found is not None]
        raws = self._redis.run([("HGET", token_key(digest.decode()), "doc") for digest in digests])
        return [token for token in map(_token, raws) if token is not None]

    def renamings(self) -> int:
        """Return how often an owner or bot was renamed."""
        return int(self._redis.one("GET", RENAMINGS) or 0)

    def renamed(self) -> dict[str, list[str]]:
        """Return by id the names of renamed owners and bots, the oldest first."""
        flat = self._redis.one("HGETALL", RENAMED)
        return {ident.decode(): orjson.loads(raw) for ident, raw in zip(flat[::2], flat[1::2], strict=True)}

    def rename(
        self, before: Sequence[Owner | Bot], after: Sequence[Owner | Bot], *, forget: bool = False
    ) -> str:
        """Replace owners and bots with others of the same ids and other names. With `forget`, the old names lead
        nowhere any more. Return `ok`, or without effect `taken` or `again`, if a stored one is not as `before`."""
        change: dict[str, list[Any]] = {
            name: [] for name in ("documents", "names", "listed", "renamed", "freed")
        }
        raws = self._redis.all(
            [("HGET", OWNERS if isinstance(each, Owner) else BOTS, each.id) for each in before]
        )
        known = self._redis.all([("HGET", RENAMED, each.id) for each in before])
        for old, new, raw, names in zip(before, after, raws, known, strict=True):
            if raw is None or _json_of(_loaded(type(old), raw)) != _json_of(old):
                return "again"
            kind = "owner" if isinstance(old, Owner) else "bot"
            former = orjson.loads(names or b"[]") or [_name_of(old)]
            change["documents"].append([kind, old.id, raw.decode(), _json_of(new).decode()])
            change["names"].append([kind, _name_of(new), old.id])
            change["freed"] += [
                [kind, name] for name in {*former, _name_of(old)} if forget and name != _name_of(new)
            ]
            former = [] if forget else former
            change["renamed"].append([old.id, orjson.dumps([*former, _name_of(new)]).decode()])
            if kind == "bot":
                change["listed"].append([_name_of(old), _name_of(new)])
        change["bots"] = [[old.name, len(before) - 1] for old in before if isinstance(old, Owner)]
        keys = (OWNERS, BOTS, OWNER_NAMES, BOT_IDS, BOT_NAMES, RENAMED, RENAMINGS)
        return str(self._redis.one(*RENAME.call(keys, orjson.dumps(change))).decode())

    def owner(self, owner_id: str) -> Owner | None:
        raw = self._redis.one("HGET", OWNERS, owner_id)
        return None if raw is None else decoded(Owner, orjson.loads(raw))

    def owners(self, ids: Sequence[str]) -> list[Owner]:
        """Return those of these owners that exist."""
        raws = self._redis.one("HMGET", OWNERS, *ids) if ids else []
        return [decoded(Owner, orjson.loads(raw)) for raw in raws if raw is not None]

    def owner_id(self, name: str) -> str | None:
        raw = self._redis.one("HGET", OWNER_NAMES, name)
        return None if raw is None else str(raw.decode())

    def bots(self, ids: Sequence[str]) -> list[Bot | None]:
        if not ids:
            return []
        raws = self._redis.one("HMGET", BOTS, *ids)
        return [None if raw is None else Bot.from_json(orjson.loads(raw)) for raw in raws]

    def agents(self) -> list[Bot]:
        """Return the bots that declare a model and have played."""
        ids = [raw.decode() for raw in self._redis.one("ZINTER", 2, AGENTS, PLAYED)]
        return [bot for bot in self.bots(ids) if bot is not None and bot.agent.model]

    def _list_agent(self, bot: Bot) -> None:
        """List a bot that declares a model, before it is stored: `agents` leaves out what is listed in vain."""
        if bot.agent.model:
            self._redis.one("SADD", AGENTS, bot.id)

    def bot_id(self, full_name: str) -> str | None:
        """Return the id of `owner/bot`."""
        raw = self._redis.one("HGET", BOT_IDS, full_name)
        return None if raw is None else str(raw.decode())

    def bot_names(self, owner_name: str | None, after: str, limit: int) -> list[tuple[str, str]]:
        """`0` is the character after `/`, so it ends the range of an owner's names."""
        start = after if owner_name is None else max(after, f"{owner_name}/")
        end = "+" if owner_name is None else f"({owner_name}0"
        names = self._redis.one(
            "ZRANGEBYLEX", BOT_NAMES, f"({start}" if start else "-", end, "LIMIT", 0, limit
        )
        if not names:
            return []
        ids = self._redis.one("HMGET", BOT_IDS, *names)
        return [(name.decode(), bot_id.decode()) for name, bot_id in zip(names, ids, strict=True)]

    def change_bot(self, before: Bot, after: Bot) -> bool:
        """Replace `before` with `after`. Return false, without effect, if the stored bot is not `before`."""
        raw = self._redis.one("HGET", BOTS, before.id)
        if raw is None or Bot.from_json(orjson.loads(raw)) != before:
            return False
        self._list_agent(after)
        return self._change(BOTS, before.id, raw, orjson.dumps(after.to_json()), after.off)

    def change_owner(self, before: Owner, after: Owner) -> bool:
        """Replace `before` with `after`. Return false, without effect, if the stored owner is not `before`."""
        raw = self._redis.one("HGET", OWNERS, before.id)
        if raw is None or decoded(Owner, orjson.loads(raw)) != before:
            return False
        return self._change(OWNERS, before.id, raw, _owner_json(after), after.disabled)

    def disabled(self, ids: Sequence[str]) -> list[bool]:
        return [bool(flag) for flag in self._redis.one("SMISMEMBER", DISABLED, *ids)]

    def _change(self, key: str, ident: str, raw: bytes, after: bytes, disabled: bool) -> bool:
        # Compare with the stored bytes: a document of an older version has fewer fields than ours.
        changed = bool(self._redis.one(*CHANGE.call((key, DISABLED), ident, raw, after, int(disabled))))
        if disabled:
            renew_grants(self._redis)
        return changed


def _name_of(account: Owner | Bot) -> str:
    return account.name if isinstance(account, Owner) else account.full_name


def _json_of(account: Owner | Bot) -> bytes:
    return _owner_json(account) if isinstance(account, Owner) else orjson.dumps(account.to_json())


def _loaded(kind: type[Owner | Bot], raw: bytes) -> Owner | Bot:
    found = orjson.loads(raw)
    return Bot.from_json(found) if kind is Bot else decoded(Owner, found)


def _owner_json(owner: Owner) -> bytes:
    return orjson.dumps(owner._asdict())


def _token_keys(minted: NewToken) -> tuple[str, str, str]:
    return token_key(minted.digest), TOKEN_IDS, f"{TAG}tokens:{minted.token.subject}"


def _token_arguments(minted: NewToken) -> tuple[Any, ...]:
    token = minted.token
    parent = token_key(minted.origin) if minted.origin else ""
    return token.id, minted.digest, orjson.dumps(token.to_json()), token.owner, token.bot or "", parent


def _asked(raw: Any) -> Token | None:
    """Return the token with its bot's running check, or bounded by its parent."""
    if not isinstance(raw, list):
        return _token(raw)
    token, origin = _named(Token.from_json(orjson.loads(raw[0]))), _token(raw[2] or None)
    return token._replace(check=raw[1].decode()) if origin is None else token.bounded_by(origin)


def _token(raw: Any) -> Token | None:
    return None if raw is None else _named(Token.from_json(orjson.loads(raw)))


def _named(token: Token) -> Token:
    """Return the token with the present name of its subject."""
    return token._replace(name=current_name(token.subject, token.name))
