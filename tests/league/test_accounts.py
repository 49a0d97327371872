"""Owners, bots and tokens."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from league.accounts.model import RESERVED, Bot, Owner, is_blank, is_reserved
from league.accounts.redis import RedisAccountStore
from league.accounts.service import Accounts, MatchPolicy
from league.accounts.tokens import Scope, Token, is_token, token_text
from league.errors import BadInvitation, BadValue, NameTaken, NoSuchBot, NoSuchToken
from records.names import current_name, first_owner, learn, present_owner
from redisio.connection import Pipeline, Redis
from tests.support.kills import killed_at
from tests.support.league import LeagueWorld, WallClock

Make = Callable[..., Accounts]


@pytest.fixture
def make(redis: Redis, clock: WallClock) -> Make:
    def of(pepper: str = "p" * 32, **more: object) -> Accounts:
        house = {"random": "1", "greedy": "2"}
        return Accounts(RedisAccountStore(redis), pepper, house, now=clock, **more)  # type: ignore[arg-type]  # passed on

    return of


@pytest.fixture
def accounts(make: Make) -> Accounts:
    return make()


def asked(accounts: Accounts, redis: Redis, text: str) -> Token | None:
    trip = Pipeline(redis)
    answer = accounts.ask_token(trip, text)
    trip.go()
    return answer.answer


def everything(redis: Redis) -> bytes:
    """Return all keys and values of Redis, joined."""
    heap = b""
    for key in redis.one("KEYS", "*"):
        heap += key + b"\n" + redis.one("DUMP", key) + b"\n"
        kind = redis.one("TYPE", key)
        read = {
            b"string": ("GET", key),
            b"hash": ("HGETALL", key),
            b"set": ("SMEMBERS", key),
            b"zset": ("ZRANGE", key, 0, -1),
            b"list": ("LRANGE", key, 0, -1),
        }[kind]
        answer = redis.one(*read)
        heap += answer if isinstance(answer, bytes) else b"\n".join(answer)
    return heap


def test_redis_contains_no_token_text(accounts: Accounts, redis: Redis) -> None:
    owner, first = accounts.create_owner("ivan")
    bot, second = accounts.create_bot(owner.id, "fool")
    issued, third = accounts.issue_token(bot, note="for the laptop")
    _, fourth = accounts.rotate(issued.id, 60)
    code = accounts.invite()
    heap = everything(redis)
    for text in (first, second, third, fourth, code):
        assert text.encode() not in heap
        assert text.partition("_")[2][:26].encode() not in heap
    assert b"for the laptop" in heap


def test_tokens_are_invalid_under_another_pepper(accounts: Accounts, make: Make, redis: Redis) -> None:
    _, text = accounts.create_owner("ivan")
    assert asked(make("q" * 32), redis, text) is None
    assert asked(make(), redis, text) is not None


def test_a_typing_error_breaks_the_checksum() -> None:
    text = token_text("m" * 26)
    for at in range(6, len(text)):
        other = "a" if text[at] != "a" else "b"
        assert not is_token(text[:at] + other + text[at + 1 :])


def test_a_token_is_valid_until_it_expires(accounts: Accounts, redis: Redis, clock: WallClock) -> None:
    owner, _ = accounts.create_owner("ivan")
    token, text = accounts.issue_token(owner, expires=clock.ms + 1000)
    clock.ms += 999
    assert asked(accounts, redis, text) == token
    clock.ms += 1
    assert asked(accounts, redis, text) is None
    with pytest.raises(NoSuchToken):
        accounts.token(token.id)
    with pytest.raises(BadValue, match="expires"):
        accounts.issue_token(owner, expires=clock.ms)


def test_rotation_does_not_extend_a_token(accounts: Accounts, clock: WallClock) -> None:
    owner, _ = accounts.create_owner("ivan")
    token, _ = accounts.issue_token(owner, expires=clock.ms + 1000)
    accounts.rotate(token.id, overlap_s=60)
    assert accounts.token(token.id).expires == clock.ms + 1000


def test_a_token_has_only_scopes_of_its_kind(accounts: Accounts) -> None:
    owner, _ = accounts.create_owner("ivan")
    token, _ = accounts.issue_token(owner, ["read"])
    assert token.scopes == {Scope.READ}
    for scopes in (["play"], ["admin"], ["read", "no such"], []):
        with pytest.raises(BadValue, match="scopes"):
            accounts.issue_token(owner, scopes)


def test_names_of_owners_and_of_an_owners_bots_are_unique(accounts: Accounts) -> None:
    ivan, _ = accounts.create_owner("ivan")
    olga, _ = accounts.create_owner("olga")
    with pytest.raises(NameTaken):
        accounts.create_owner("ivan")
    accounts.create_bot(ivan.id, "fool")
    accounts.create_bot(olga.id, "fool")
    with pytest.raises(NameTaken):
        accounts.create_bot(ivan.id, "fool")


@pytest.mark.parametrize("name", ["", "a", "-ab", "Ivan", "и" * 3, "a_b", "a/b", "a" * 33, "ivan\n"])
def test_a_name_is_a_slug(accounts: Accounts, name: str) -> None:
    with pytest.raises(BadValue, match="name"):
        accounts.create_owner(name)


def test_a_bot_keeps_its_id_when_it_changes(accounts: Accounts) -> None:
    owner, _ = accounts.create_owner("ivan")
    bot, _ = accounts.create_bot(owner.id, "fool", "1", description="first")
    changed = accounts.update_bot(bot.id, version="2", match_policy=MatchPolicy(("durak",), 3))
    assert changed == bot._replace(version="2", match_policy=MatchPolicy(("durak",), 3))
    assert accounts.bot("ivan", "fool") == accounts.bot_by_id(bot.id) == changed
    for bad in ({"version": ""}, {"version": "a\x00"}, {"match_policy": MatchPolicy(None, 0)}):
        with pytest.raises(BadValue):
            accounts.update_bot(bot.id, **bad)
    assert accounts.bot_by_id(bot.id) == changed


def test_house_bots_exist_without_tokens_and_can_not_be_changed(accounts: Accounts) -> None:
    bot = accounts.bot("house", "greedy")
    assert (bot.id, bot.full_name, bot.version, bot.house) == ("house-greedy", "house/greedy", "2", True)
    assert accounts.bot_by_id("house-greedy") == bot
    with pytest.raises(NoSuchBot):
        accounts.issue_token(bot)
    with pytest.raises(NoSuchBot):
        accounts.update_bot(bot.id, version="3")
    with pytest.raises(NameTaken):
        accounts.create_bot("house", "mine")


def test_closed_registration_uses_up_an_invitation(make: Make, clock: WallClock) -> None:
    accounts = make(by_invitation=True)
    for bad in (None, "", "invite_x"):
        with pytest.raises(BadInvitation):
            accounts.create_owner("ivan", invitation=bad)
    code = accounts.invite(expires_in_s=60)
    accounts.create_owner("ivan", invitation=code)
    with pytest.raises(BadInvitation):
        accounts.create_owner("olga", invitation=code)
    code = accounts.invite(expires_in_s=60)
    with pytest.raises(NameTaken):
        accounts.create_owner("ivan", invitation=code)
    clock.ms += 59_999
    accounts.create_owner("olga", invitation=code)
    code = accounts.invite(expires_in_s=60)
    clock.ms += 60_000
    with pytest.raises(BadInvitation):
        accounts.create_owner("late", invitation=code)


@pytest.mark.parametrize("at", [1, 2])
def test_an_interrupted_invitation_can_be_repeated(make: Make, at: int) -> None:
    accounts = make(by_invitation=True)
    with killed_at(at, before=False):
        accounts.invite(seed="request 1")
    code = accounts.invite(seed="request 1")
    accounts.create_owner("ivan", invitation=code)
    assert accounts.invite(seed="request 1") == code
    with pytest.raises(BadInvitation):
        accounts.create_owner("olga", invitation=code)
    assert [each.owner for each in accounts.invitations()[0]] == ["ivan"]


@pytest.mark.parametrize("name", ["house", "admin", "kozyr"])
def test_some_names_are_reserved(accounts: Accounts, name: str) -> None:
    with pytest.raises(NameTaken):
        accounts.create_owner(name)


# Reserved names, and texts without visible characters


ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    "name",
    [
        *sorted(RESERVED),
        *("house0", "house-", "house-1", "0house", "h0use", "h-o-u-s-e", "hou5e", "hous3", "h0us3-42"),
        *("adm1n", "adrnin", "adrn1n-7", "r00t", "sy5tem", "5taff", "5erv1ce", "k0zyr", "0fficia1"),
    ],
)
def test_reserved_words_and_names_that_resemble_them_are_reserved(name: str) -> None:
    assert is_reserved(name)


@pytest.mark.parametrize(
    "name",
    ["houses", "mouse", "housekeeper", "warehouse", "rooter", "ab", "e2e4", "007", "stafford", "x-house-y"],
)
def test_other_names_are_free(name: str) -> None:
    assert not is_reserved(name)


@pytest.mark.parametrize(
    "text", ["", " ", "  \t", "\n", "\u00a0", "\u200b\u200d", "\u3164", "\u2800 ", "\u0301", "\x00"]
)
def test_spaces_controls_and_invisible_characters_are_blank(text: str) -> None:
    assert is_blank(text)


@pytest.mark.parametrize("text", ["1", " a ", "é", "\u05d0", "牌", "🂡", ".", "-"])
def test_visible_text_is_not_blank(text: str) -> None:
    assert not is_blank(text)


def test_the_docs_list_every_reserved_word() -> None:
    page = (ROOT / "docs" / "protocol.md").read_text()
    (listed,) = re.findall(r"Reserved owner names: (.*?)\n\n", page, re.DOTALL)
    assert re.findall(r"`([a-z]+)`", listed) == sorted(RESERVED)


# Renaming owners and bots at the same moment as other changes


def test_a_bot_created_while_its_owner_is_renamed_has_the_new_name(
    league: LeagueWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner, _ = league.bot("whilom", "one")
    accounts, read = league.accounts, league.accounts.owner

    def renamed_after(owner_id: str) -> Owner:
        found = read(owner_id)
        monkeypatch.setattr(accounts, "owner", read)
        accounts.rename_owner(owner_id, "renowned")
        return found

    monkeypatch.setattr(accounts, "owner", renamed_after)
    bot, _ = accounts.create_bot(owner.id, "two")
    assert bot.full_name == "renowned/two"
    assert accounts.bot("whilom", "two") == accounts.bot("renowned", "two") == bot


def test_an_owner_renamed_while_it_creates_a_bot_takes_the_bot_along(
    league: LeagueWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner, _ = league.bot("whilom-too", "one")
    accounts, read = league.accounts, league.accounts.bots_of

    def created_after(of_owner: Owner) -> list[Bot]:
        found = read(of_owner)
        monkeypatch.setattr(accounts, "bots_of", read)
        accounts.create_bot(owner.id, "two")
        return found

    monkeypatch.setattr(accounts, "bots_of", created_after)
    accounts.rename_owner(owner.id, "renowned-too")
    assert [bot.full_name for bot in accounts.bots("renowned-too").bots] == [
        "renowned-too/one",
        "renowned-too/two",
    ]


def test_names_of_another_league_are_not_kept() -> None:
    learn({"o1": ["leokadia", "lea"], "b1": ["leokadia/fool", "lea/fool"]})
    learn({})
    assert current_name("b1", "leokadia/fool") == "leokadia/fool"
    assert present_owner("leokadia") == "leokadia"
    assert first_owner("lea") == "lea"


def test_a_bot_that_is_shown_as_disabled_is_disabled(league: LeagueWorld) -> None:
    _, bot = league.bot("leokadia", "fool")
    with killed_at(1, before=False, first=(RedisAccountStore, "renamings")):
        league.accounts.update_bot(bot.id, name="wise", disabled=True)
    found = league.accounts.bot_by_id(bot.id)
    assert found.name == "wise"
    assert RedisAccountStore(league.redis).disabled([bot.id]) == [found.off]
