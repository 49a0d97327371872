"""Duplicate groups in twin worlds, and all requests of viewers without a seat at their tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, NamedTuple

from redisio.connection import Redis
from referee.groups.redis import RedisGroupStore
from tests.live.leaks.plays import Play
from tests.live.leaks.viewer import CLOCK, NDJSON, ViewedTable, add_webhook, addresses
from tests.live.leaks.worlds import LiveWorld, TwinWorlds
from tests.support.waiting import eventually

PRESET = "durak/2"


class Company:
    """Owners with one bot each: `NAME-0/bot`, `NAME-1/bot`, …"""

    def __init__(self, worlds: TwinWorlds, name: str, count: int) -> None:
        self.worlds, self.name = worlds, name
        for number in range(count):
            owner = f"{name}-{number}"
            worlds.make(
                "/v1/owners",
                {"name": owner},
                None,
                {f"{owner} owner": ["owner", "id"], f"{owner} owner token": ["token"]},
            )
            ids = {f"{owner} bot": ["bot", "id"], f"{owner} token": ["token"]}
            worlds.make("/v1/bots", {"name": "bot"}, self.owner(number), ids)
            add_webhook(worlds, self.owner(number), owner)
            # The first stream of an account begins its event log.
            worlds.ask("GET", "/v1/owner/stream?seconds=0", None, self.owner(number))
            worlds.ask("GET", "/v1/bot/stream?seconds=0", None, self.token(number))
        worlds.pass_time()

    def bot(self, number: int) -> str:
        """Return the name of a bot."""
        return f"{self.name}-{number}/bot"

    def owner(self, number: int) -> str:
        """Return the name of its owner's token."""
        return f"<{self.name}-{number} owner token>"

    def token(self, number: int) -> str:
        """Return the name of its own token."""
        return f"<{self.name}-{number} token>"

    def come(self, *numbers: int) -> None:
        """Poll for these bots until one has a turn, in both worlds."""

        def come() -> bool:
            return all(
                any(turns(world, self.token(number)) for number in numbers) for world in self.worlds.both
            )

        eventually(come, "somebody is asked")


class KnownGroup(NamedTuple):
    """A group with the names of its matches and ladder."""

    company: Company
    group: str
    matches: Sequence[str]
    ladder: str = "lnosuchladder0000"

    def known(self, match: str) -> Mapping[str, str]:
        """Return the values for `addresses`."""
        name = self.company.name
        return {
            "match": match,
            "game": "durak",
            "owner": f"{name}-0",
            "bot": "bot",
            "other_owner": f"{name}-1",
            "other": "bot",
            "ladder": self.ladder,
            "group": self.group,
            "number": "1",
            "webhook": f"<{name}-0 webhook>",
            "message": "nosuchmessage",
            "month": "2025-11",
            "file": "README.md",
        }


def casual_group(company: Company, body: Mapping[str, Any], tables: int) -> KnownGroup:
    """Create a casual group, by the first owner of the company."""
    worlds, group = company.worlds, f"{company.name} group"
    asked = {"game": "durak", "dealer": 0, "clock": CLOCK, "entropy": company.name, **body}
    worlds.make("/v1/groups", asked, company.owner(0), {group: ["id"]})
    return KnownGroup(company, f"<{group}>", learn_matches(worlds, company.name, f"<{group}>", tables))


def learn_matches(worlds: TwinWorlds, name: str, group: str, tables: int) -> list[str]:
    """Return names for a group's matches, whose ids no response reveals."""
    for world in worlds.both:
        (with_matches,) = RedisGroupStore(Redis(world.service.redis_url)).groups([world.real(group)])
        assert with_matches is not None
        for slot in range(tables):
            world.learn(f"{name} {slot} match", with_matches.match_id(slot, 0))
    return [f"<{name} {slot} match>" for slot in range(tables)]


def turns(world: LiveWorld, token: str) -> list[Any]:
    """Return the open turns of a bot in one world."""
    found: list[Any] = world.ask("GET", "/v1/turns", None, {"Authorization": f"Bearer {token}"}).json()[
        "turns"
    ]
    return found


def play_differently(worlds: TwinWorlds, tokens: Sequence[str], moves: int) -> None:
    """Make this many moves with these bots in each world, different ones in each."""
    for seed, world in enumerate(worlds.both):
        rng, made = Random(seed), 0
        while made < moves:
            for token in tokens:
                for turn in turns(world, token)[: moves - made]:
                    move = {"turn": turn["turn"], "move": rng.choice(turn["observation"]["legal_moves"])}
                    path = f"/v1/matches/{turn['match']}/moves"
                    answer = world.ask("POST", path, move, {"Authorization": f"Bearer {token}"})
                    assert answer.status == 200, answer.body
                    made += 1


def end_in_one_world(worlds: TwinWorlds, match: str, token: str) -> None:
    """End a match in one world, by resigning, and let it continue in the other."""
    one, other = worlds.both
    answer = one.ask("POST", f"/v1/matches/{match}/resign", None, {"Authorization": f"Bearer {token}"})
    assert answer.json()["status"] == "finished", answer.body
    assert not other.behind(match).finished


def probe(group: KnownGroup, *eyes: str | None, but: str | None = None) -> None:
    """Send every request about a running group that these viewers without a seat can make.

    Skip the addresses that begin with `but`.
    """
    read = [*addresses(group.company.worlds, group.known(group.matches[0])), *_queries(group)]
    for eye in eyes:
        for match in group.matches:
            _probe(group, match, eye)
        for path in read:
            if but is None or not path.startswith(but):
                group.company.worlds.ask("GET", path, None, eye)
        for path in ("standings", "crosstable"):
            group.company.worlds.ask(
                "GET", f"/v1/ladders/{group.ladder}/{path}", None, eye, Accept="text/csv"
            )


def _probe(group: KnownGroup, match: str, eye: str | None) -> None:
    worlds, path = group.company.worlds, f"/v1/matches/{match}"
    worlds.ask("GET", f"/v1/checks/{match}", None, eye)
    for place in ("", "/events", "/record"):
        answer = worlds.ask("GET", path + place, None, eye)
        assert (answer.status, answer.json()["code"]) == (409, "group_running"), answer.body
    for after in (0, 1, 5, 1000):
        worlds.ask("GET", f"{path}/events?after={after}&limit=2", None, eye, Accept=NDJSON)
    for place, body in (
        ("/join", {}),
        ("/resign", None),
        *(("/moves", {"turn": turn, "move": move}) for turn in (1, 2, 50) for move in ("take", "no move")),
    ):
        assert worlds.ask("POST", path + place, body, eye).status >= 400
    moves = {"moves": [{"match": match, "turn": turn, "move": "take"} for turn in (1, 2, 50)]}
    worlds.ask("POST", "/v1/turns", moves, eye)


def _queries(group: KnownGroup) -> list[str]:
    bot, other = group.company.bot(0), group.company.bot(1)
    lists = ["game=durak", f"bot={bot}", f"bot={other}", f"ladder={group.ladder}", f"bot={bot}&limit=1"]
    lists += [f"status={status}" for status in ("open", "waiting", "running", "finished")]
    lists += [f"result={ending}" for ending in ("rules", "resigned", "forfeit", "aborted")]
    lists += ["since=2033-01-01T00:00:00Z", "until=2040-01-01T00:00:00Z", "void=false"]
    return [
        *(f"/v1/matches?{query}" for query in lists),
        *(f"/v1/records?{query}" for query in (f"bot={bot}", "game=durak", f"ladder={group.ladder}")),
        f"/v1/ratings?preset={PRESET}",
        f"/v1/bots/{bot}/ratings/history?preset={PRESET}",
        f"/v1/bots/{bot}/head-to-head/{other}?preset={PRESET}",
    ]


def ladder_group(company: Company) -> tuple[KnownGroup, dict[int, int]]:
    """Start a round of a rated ladder between the company's first two bots.

    Return its group, whose first table is playing, and the number of the bot in each seat of this table. The ladder
    belongs to the company's last owner.
    """
    worlds, name = company.worlds, company.name
    body = {"name": name, "game": "durak", "seats": 2, "clock": CLOCK, "check": False}
    worlds.make("/v1/ladders", body, company.owner(2), {f"{name} ladder": ["id"]})
    ladder = f"/v1/ladders/<{name} ladder>"
    for number in (0, 1):
        entry = {"bot": company.bot(number), "entropy": name if number == 0 else None}
        worlds.tell("POST", f"{ladder}/entries", entry, company.owner(number))
    worlds.make(f"{ladder}/rounds", None, company.owner(2), {})
    company.come(0, 1)
    seats: list[dict[int, int]] = []
    for world in worlds.both:
        (turn,) = [turn for number in (0, 1) for turn in turns(world, company.token(number))]
        world.learn(f"{name} 0 match", turn["match"])
        config = world.behind(turn["match"]).config
        assert config.group is not None
        world.learn(f"{name} group", config.group.id)
        names = [seat.bot for seat in config.seats if seat is not None]
        seats.append({seat: names.index(company.bot(seat)) for seat in (0, 1)})
    assert seats[0] == seats[1]
    matches = learn_matches(worlds, name, f"<{name} group>", 1)
    return KnownGroup(company, f"<{name} group>", matches, f"<{name} ladder>"), seats[0]


class GroupTable(ViewedTable):
    """A seat at a table of a group, and all its requests."""

    def __init__(
        self, worlds: TwinWorlds, play: Play, group: KnownGroup, slot: int, seats: Mapping[int, int]
    ) -> None:
        """Set up the view. `seats` maps seats to numbers of the company's bots; house bots have the others."""
        self._group, self._seats = group, seats
        super().__init__(worlds, play, group.company.name)
        self.match, self.bot = group.matches[slot], group.company.bot(0)
        self.owner, self.stranger = group.company.owner(0), group.company.token(2)
        self.rival, self.webhook = group.company.owner(2), f"<{group.company.name}-0 webhook>"
        self._check_decks()

    page_status = 409

    def bot_of(self, seat: int) -> str:
        return self._group.company.bot(self._seats.get(seat, 0))

    def token_of(self, seat: int) -> str:
        return self._group.company.token(self._seats[seat])

    def known(self) -> Mapping[str, str]:
        return self._group.known(self.match)

    def compare_with_spectators(self) -> None:
        """Assert that spectators are refused."""
        answer = self.worlds.ask("GET", f"/v1/matches/{self.match}/events")
        assert answer.json()["code"] == "group_running"
