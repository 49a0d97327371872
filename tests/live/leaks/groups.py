"""Duplicate groups in two worlds, and everything that somebody can ask who has no seat at a table of theirs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any, NamedTuple

from redisio.connection import Redis
from referee.groups.redis import RedisGroupStore
from tests.live.leaks.plays import Play
from tests.live.leaks.viewer import CLOCK, NDJSON, ViewedTable, addresses
from tests.live.leaks.worlds import LiveWorld, TwinWorlds
from tests.support.waiting import eventually

PRESET = "durak/2"


class Company:
    """Owners with a bot each, `NAME-0/bot` and so on."""

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
        worlds.pass_time()

    def bot(self, number: int) -> str:
        """The name of a bot."""
        return f"{self.name}-{number}/bot"

    def owner(self, number: int) -> str:
        """The name of its owner's token."""
        return f"<{self.name}-{number} owner token>"

    def token(self, number: int) -> str:
        """The name of its own."""
        return f"<{self.name}-{number} token>"

    def come(self, *numbers: int) -> None:
        """These ask for their turns until there is one, in both worlds."""

        def come() -> bool:
            return all(
                any(turns(world, self.token(number)) for number in numbers) for world in self.worlds.both
            )

        eventually(come, 20, "somebody is asked")


class Looked(NamedTuple):
    """What is asked for by name."""

    company: Company
    group: str
    matches: Sequence[str]
    ladder: str = "lnosuchladder0000"

    def known(self, match: str) -> Mapping[str, str]:
        """For `addresses`."""
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
        }


def casual(company: Company, body: Mapping[str, Any], tables: int) -> Looked:
    """A casual group of this company, made by the first of its owners."""
    worlds, group = company.worlds, f"{company.name} group"
    asked = {"game": "durak", "dealer": 0, "clock": CLOCK, "entropy": company.name, **body}
    worlds.make("/v1/groups", asked, company.owner(0), {group: ["id"]})
    return Looked(company, f"<{group}>", learnt(worlds, company.name, f"<{group}>", tables))


def learnt(worlds: TwinWorlds, name: str, group: str, tables: int) -> list[str]:
    """The names of a group's matches, of which nobody is told."""
    for world in worlds.both:
        (with_matches,) = RedisGroupStore(Redis(world.service.redis_url)).groups([world.real(group)])
        assert with_matches is not None
        for slot in range(tables):
            world.learn(f"{name} {slot} match", with_matches.match_id(slot, 0))
    return [f"<{name} {slot} match>" for slot in range(tables)]


def turns(world: LiveWorld, token: str) -> list[Any]:
    """What a bot is asked in one of the worlds."""
    found: list[Any] = world.ask("GET", "/v1/turns", None, {"Authorization": f"Bearer {token}"}).json()[
        "turns"
    ]
    return found


def play_apart(worlds: TwinWorlds, tokens: Sequence[str], moves: int) -> None:
    """So many moves of these bots in each world, other ones in each."""
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


def end_one(worlds: TwinWorlds, match: str, token: str) -> None:
    """A match is over in the one world, and goes on in the other."""
    one, other = worlds.both
    answer = one.ask("POST", f"/v1/matches/{match}/resign", None, {"Authorization": f"Bearer {token}"})
    assert answer.json()["status"] == "finished", answer.body
    assert not other.behind(match).finished


def look(of: Looked, *eyes: str | None, but: str | None = None) -> None:
    """Everything that somebody without a seat can ask about a group that is not over, by every way to a match; but
    not the addresses that begin so."""
    read = [*addresses(of.company.worlds, of.known(of.matches[0])), *_queries(of)]
    for eye in eyes:
        for match in of.matches:
            _look(of, match, eye)
        for path in read:
            if but is None or not path.startswith(but):
                of.company.worlds.ask("GET", path, None, eye)
        for path in ("standings", "crosstable"):
            of.company.worlds.ask("GET", f"/v1/ladders/{of.ladder}/{path}", None, eye, Accept="text/csv")


def _look(of: Looked, match: str, eye: str | None) -> None:
    worlds, path = of.company.worlds, f"/v1/matches/{match}"
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


def _queries(of: Looked) -> list[str]:
    bot, other = of.company.bot(0), of.company.bot(1)
    lists = ["game=durak", f"bot={bot}", f"bot={other}", f"ladder={of.ladder}", f"bot={bot}&limit=1"]
    lists += [f"status={status}" for status in ("open", "waiting", "running", "finished")]
    lists += [f"result={ending}" for ending in ("rules", "resigned", "forfeit", "aborted")]
    lists += ["since=2033-01-01T00:00:00Z", "until=2040-01-01T00:00:00Z", "void=false"]
    return [
        *(f"/v1/matches?{query}" for query in lists),
        *(f"/v1/records?{query}" for query in (f"bot={bot}", "game=durak", f"ladder={of.ladder}")),
        f"/v1/ratings?preset={PRESET}",
        f"/v1/bots/{bot}/ratings/history?preset={PRESET}",
        f"/v1/bots/{bot}/head-to-head/{other}?preset={PRESET}",
    ]


def of_a_ladder(company: Company) -> tuple[Looked, dict[int, int]]:
    """The group of a round of a rated ladder of the company's first two bots, of which the first table plays; and by
    seat of that table, who sits there. The last of the company's owners has the ladder."""
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
    matches = learnt(worlds, name, f"<{name} group>", 1)
    return Looked(company, f"<{name} group>", matches, f"<{name} ladder>"), seats[0]


class Seated(ViewedTable):
    """A seat of one of a group's tables, and everything that it can ask."""

    def __init__(
        self, worlds: TwinWorlds, play: Play, of: Looked, slot: int, seats: Mapping[int, int]
    ) -> None:
        """`seats` has by seat the number of the company's bot there; other seats are of the house."""
        self._of, self._seats = of, seats
        super().__init__(worlds, play, of.company.name)
        self.match, self.bot = of.matches[slot], of.company.bot(0)
        self.owner, self.stranger = of.company.owner(0), of.company.token(2)
        self._check_decks()

    def token_of(self, seat: int) -> str:
        """See `ViewedTable`."""
        return self._of.company.token(self._seats[seat])

    def addresses(self) -> Iterator[str]:
        """See `ViewedTable`."""
        return addresses(self.worlds, self._of.known(self.match))

    def compare_with_spectators(self) -> None:
        """There are none."""
        answer = self.worlds.ask("GET", f"/v1/matches/{self.match}/events")
        assert answer.json()["code"] == "group_running"
