"""Twin matches in two worlds, and every request that a viewer of such a match can make."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from engine.match import deck_text
from engine.registry import GAMES
from engine.relabelling import relabelled
from tests.live.leaks.plays import Play, PlayStep
from tests.live.leaks.worlds import TwinWorlds
from tests.support.waiting import eventually
from tests.support.words import tries

CLOCK: Final = {"move_ms": 60_000, "bank_ms": 30_000, "increment_ms": 500}
NDJSON: Final = "application/x-ndjson"

OF_MATCHES: Final = ("/v1/matches", "/v1/turns", "/v1/records", "/v1/bot/stream", "/v1/owner/stream")
"""The prefixes of paths that mainly concern matches."""
REVEALING: Final = frozenset({"/v1/records", "/v1/matches/{match}/record"})
"""Paths that show all cards of finished matches. They are requested only while no match has finished."""
OF_ITS_OWN: Final = frozenset({"/openapi.json", "/openapi.yaml", "/openapi-bot.yaml", "/readyz", "/v1/keys"})
"""Paths with a comparison of their own: metrics by their changes, `/readyz` without process names and ages, and the
OpenAPI documents once, since it is long. `/v1/keys` is not compared, because each service has its own keys."""
STREAMS: Final = {
    "/v1/matches/{match}/stream": ("?seconds=0", "?seconds=0&kind=frames", "?seconds=0&after=3"),
    "/v1/bot/stream": ("?seconds=0&after=0", "?seconds=0&after=0&turns=false", "?seconds=0&after=3"),
    "/v1/owner/stream": ("?seconds=0&after=0", "?seconds=0&after=3"),
    "/v1/stream": ("?seconds=0&matches={match}", "?seconds=0&kind=frames&matches={match}"),
}
"""The queries of streams, which otherwise stay open."""
NO_WEBHOOK: Final = "wnosuchwebhook000"
WEBHOOK_REQUESTS: Final[Sequence[tuple[str, str, Any]]] = (
    ("GET", "/v1/webhooks/{webhook}", None),
    ("GET", "/v1/webhooks/{webhook}/deliveries", None),
    ("PATCH", "/v1/webhooks/{webhook}", {"enabled": False}),
    ("POST", "/v1/webhooks/{webhook}/test", None),
    ("POST", "/v1/webhooks/{webhook}/deliveries/msg_none", None),
    ("DELETE", "/v1/webhooks/{webhook}", None),
)
"""What only the owner of a webhook may ask for."""
TRIED: Final = frozenset(
    {
        ("post", "/v1/turns"),
        ("post", "/v1/matches"),
        ("post", "/v1/matches/{match}/moves"),
        ("post", "/v1/matches/{match}/join"),
        ("post", "/v1/matches/{match}/resign"),
        ("post", "/v1/matches/{match}/endings"),
        ("post", "/v1/matches/{match}/reviews"),
    }
)
"""Operations that change a match. This module tries each of them explicitly."""
NO_MATCH: Final = re.compile(
    r"/v1/(owners|bots|tokens?|ladders|groups|checks|invitations|admins|service|queue|match-batches|webhooks)\b.*"
    r"|/v1/matches/{match}/(void|rerun)"
)
"""Paths whose operations concern no running match, or are for admins only."""


class ViewedTable:
    """A twin match of a play, with its bots, its viewer and the number of events read."""

    def __init__(
        self, worlds: TwinWorlds, play: Play, name: str, house: dict[int, str] | None = None
    ) -> None:
        """`house` maps seats to house bots, which send no requests, even as the viewer. `name` must be unused in both
        worlds."""
        self.worlds, self.play, self.name = worlds, play, name
        self.house = house or {}
        self.bot = self.bot_of(0)
        self.owner, self.stranger = f"<{name} owner token>", f"<{name} stranger token>"
        self.rival, self.webhook = f"<{name} rival token>", f"<{name} webhook>"
        self.match = f"<{name} match>"
        spectates = play.viewer is None or play.viewer in self.house
        self.token = None if spectates else self.token_of(play.viewer or 0)
        for number, world in enumerate(worlds.both):
            world.cursors["<hidden note>"] = f"note of world {number}" + "!" * number
        self.events = 0
        """The number of the last event that the viewer has read."""

    page_status = 200
    """The status of the match's pages for a visitor."""

    def bot_of(self, seat: int) -> str:
        """Return the bot in this seat."""
        return f"{self.name}/bot-{seat}"

    def token_of(self, seat: int) -> str:
        """Return the name of the token of this seat's bot."""
        return f"<{self.name} {seat} token>"

    def sit_down(self) -> None:
        """Create the owner, the bots with their event logs, and the match, and let every remote bot poll once."""
        worlds, play, name = self.worlds, self.play, self.name
        worlds.make(
            "/v1/owners",
            {"name": name},
            None,
            {f"{name} owner": ["owner", "id"], f"{name} owner token": ["token"]},
        )
        for bot in [*range(play.seats), "stranger"]:
            ids = {f"{name} {bot} bot": ["bot", "id"], f"{name} {bot} token": ["token"]}
            worlds.make("/v1/bots", {"name": f"bot-{bot}"}, self.owner, ids)
        add_webhook(worlds, self.owner, name)
        ids = {f"{name} rival": ["owner", "id"], f"{name} rival token": ["token"]}
        worlds.make("/v1/owners", {"name": f"rival-{zlib.crc32(name.encode())}"}, None, ids)
        add_webhook(worlds, self.rival, f"{name} rival")
        # The first stream of an account begins its event log.
        for path, token in [("owner", self.owner), ("bot", self.token), ("bot", self.stranger)]:
            if token is not None:
                worlds.ask("GET", f"/v1/{path}/stream?seconds=0", None, token)
        worlds.pass_time()
        worlds.write_decks(name, play.decks)
        body = {
            "game": play.game,
            "options": dict(play.options),
            "seats": [self.house.get(seat, self.bot_of(seat)) for seat in range(play.seats)],
            "dealer": 0,
            "deals": play.deals,
            "clock": CLOCK,
            "entropy": name,
        }
        worlds.make("/v1/matches", body, self.owner, {f"{name} match": ["id"]})
        for seat in range(play.seats):
            if seat not in self.house:
                worlds.tell("GET", "/v1/turns", None, self.token_of(seat))
        self._check_decks()

    def _check_decks(self) -> None:
        """Assert that each world deals its own deck. A comparison of equal worlds would find nothing."""
        for world, decks in zip(self.worlds.both, self.play.decks, strict=True):
            found = world.behind(self.match)
            deck = relabelled(
                decks[0], (0, 1, 2, 3) if found.config.group is None else found.config.group.suits
            )
            assert deck_text(deck) in found.log, "the written deck is dealt"

    def play_on(self, steps: Sequence[PlayStep] | None = None) -> None:
        """Make the moves, with a glance before the first and after each."""
        self.glance()
        for step in self.play.steps if steps is None else steps:
            self.move(step)
            self.glance()

    def move(self, step: PlayStep) -> None:
        """Make a move with a note in both worlds. The responses to the viewer's own moves are compared.

        The notes of other seats differ between the worlds, in length too.
        """
        if step.seat in self.house:
            return
        if self.house and step.turn is not None:
            self.wait_for_turn(step.turn)
        path, token = f"/v1/matches/{self.match}/moves", self.token_of(step.seat)
        if token != self.token:
            self.worlds.tell("POST", path, {**step.body(), "note": "<hidden note>"}, token)
            return
        body = {**step.body(), "note": "my own note"}
        answer = self.worlds.ask("POST", path, body, token)
        assert answer.status == 200, answer.body
        self.worlds.ask("POST", path, body, token)  # the retry is replayed

    def wait_for_turn(self, turn: int) -> None:
        """Wait until the house bots have moved in both worlds."""

        def is_open() -> bool:
            return all(world.behind(self.match).progress.turn >= turn for world in self.worlds.both)

        eventually(is_open, f"turn {turn} is open")

    def glance(self) -> None:
        """Make the requests that a viewer makes all the time: its turns and the new events."""
        if self.token is not None:
            self.poll("" if self.events == 0 else f"?since=<{self.name} since>")
        answer = self.worlds.ask(
            "GET", f"/v1/matches/{self.match}/events?after={self.events}", None, self.token
        )
        events = answer.json()["events"]
        assert [event["n"] for event in events] == list(range(self.events + 1, self.events + 1 + len(events)))
        self.events += len(events)

    def poll(self, query: str) -> None:
        """Read the viewer's turns and remember the cursor for the next poll."""
        assert self.token is not None
        answers = self.worlds.compared("GET", f"/v1/turns{query}", self.token)
        self.worlds.learn_cursor(f"{self.name} since", [answer.json()["since"] for answer in answers])

    # All requests

    def look_around(self, *, thorough: bool = False, finished: bool = False) -> None:
        """Make every request that the viewer can make in the current state of the match.

        `thorough` adds the paths that concern no match, other methods, a stranger and the owner.
        """
        eyes = list(dict.fromkeys([self.token, None]))
        if thorough:
            eyes += [self.stranger, self.owner, self.rival]
            self.try_webhook()
        for eye in eyes:
            for path in self.addresses():
                if not thorough and not path.startswith(OF_MATCHES):
                    continue
                self.worlds.ask("GET", path, None, eye)
                if thorough and eye == self.token:
                    self.worlds.ask("HEAD", path, None, eye)
                    self.worlds.ask("OPTIONS", path, None, eye)
        for eye in eyes if thorough else [self.token]:
            self.worlds.check_readiness(eye)
            self.read_events(eye)
            self.turn_pages(eye)
        self.compare_with_spectators()
        if not finished:
            self.read_pages()
            self.be_refused(thorough)

    def try_webhook(self) -> None:
        """Assert that nobody but its owner can read or change a webhook, or tell it from one that does not exist."""
        for eye in dict.fromkeys([self.token, None, self.stranger, self.rival]):
            for method, path, body in WEBHOOK_REQUESTS:
                real, none = (
                    self.worlds.ask(method, path.replace("{webhook}", ident), body, eye)
                    for ident in (self.webhook, NO_WEBHOOK)
                )
                assert (real.status, real.json()["code"]) == (none.status, none.json()["code"]), real.body
                assert real.status == (401 if eye is None else 404 if eye == self.rival else 403), real.body
        assert self.worlds.ask("GET", f"/v1/webhooks/{self.webhook}", None, self.owner).status == 200

    def known(self) -> Mapping[str, str]:
        """Return the values of path parameters."""
        return {
            "match": self.match,
            "game": self.play.game,
            "owner": self.name,
            "bot": "bot-0",
            "other_owner": self.name,
            "other": "bot-1",
            "ladder": "lnosuchladder0000",
            "group": "gnosuchgroup00000",
            "number": "1",
            "webhook": self.webhook,
            "message": "nosuchmessage",
            "month": "2025-11",
            "file": "README.md",
        }

    def addresses(self) -> Iterator[str]:
        """Yield every path that can be read."""
        return addresses(self.worlds, self.known())

    def read_events(self, eye: str | None) -> None:
        """Read events from several positions, as JSON and as NDJSON."""
        path = f"/v1/matches/{self.match}/events"
        for after in sorted({0, self.events // 2, self.events, self.events + 1}):
            self.worlds.ask("GET", f"{path}?after={after}", None, eye)
            self.worlds.ask("GET", f"{path}?after={after}&limit=2", None, eye, Accept=NDJSON)

    def read_pages(self) -> None:
        """Read the match's pages as a visitor, at several places."""
        for place in ("", "?deal=1&move=2", "?deal=1&seat=0", "/embed"):
            found = self.worlds.ask(
                "GET", f"/matches/{self.match}{place}", None, None, Accept="text/html", Host="kozyr.test"
            )
            assert found.status == self.page_status, found.body
        for path in (f"/matches/{self.match}/review", f"/v1/matches/{self.match}/review?excel=1"):
            found = self.worlds.ask("GET", path, None, None, Accept="text/html,*/*", Host="kozyr.test")
            assert found.status in (200, 404, 409), found.body

    def compare_with_spectators(self) -> None:
        """Assert that spectators see only what all seats see: each of their events is part of the seat's event."""
        path = f"/v1/matches/{self.match}/events"
        own, all_see = (
            self.worlds.ask("GET", path, None, eye).json()["events"] for eye in (self.token, None)
        )
        for mine, public in zip(own, all_see, strict=True):
            assert {**mine, **public} == mine, f"a seat sees {mine}, spectators {public}"

    def turn_pages(self, eye: str | None) -> None:
        """Read lists of matches with every filter, and two pages of one list."""
        filters = [
            f"game={self.play.game}",
            f"bot={self.bot}",
            "since=2033-01-01T00:00:00Z",
            "until=2033-01-01T00:00:00Z",
        ]
        filters += [f"status={status}" for status in ("open", "waiting", "running", "finished")]
        filters += [f"result={ending}" for ending in ("rules", "resigned", "aborted")]
        for query in filters:
            self.worlds.ask("GET", f"/v1/matches?{query}", None, eye)
        answers = self.worlds.compared("GET", f"/v1/matches?bot={self.bot}&limit=1", eye)
        cursors = [answer.json()["cursor"] for answer in answers]
        if None not in cursors:
            self.worlds.learn_cursor("page", cursors)
            self.worlds.ask("GET", f"/v1/matches?bot={self.bot}&limit=1&cursor=<page>", None, eye)

    def be_refused(self, thorough: bool) -> None:
        """Make every request that is refused. None of them changes anything."""
        ask, path = self.worlds.ask, f"/v1/matches/{self.match}"
        view = ask("GET", path, None, self.token).json()
        turn, deal = view["turn"], view["observation"]["deal"]
        requests: list[tuple[str, str, Any, str | None]] = []
        for eye in dict.fromkeys([self.token, self.stranger, None, self.owner][: 4 if thorough else 2]):
            requests += [("GET", "/record", None, eye), ("POST", "/join", {}, eye)]
            requests += [("GET", "/review", None, eye), ("POST", "/reviews", None, eye)]
            requests += [("GET", "/ending?move=1", None, eye), ("POST", "/endings", {"move": 1}, eye)]
            others = [seat for seat in range(self.play.seats) if eye is None or seat != self.play.viewer]
            requests += [("GET", f"/frames?seat={seat}", None, eye) for seat in (*others, "all")]
            no_moves = (
                {"turn": turn, "move": "no move"},
                {"turn": turn + 1, "move": "take"},
                {"turn": turn},
                [],
            )
            requests += [("POST", "/moves", body, eye) for body in no_moves]
        requests += [("POST", "/resign", None, eye) for eye in (self.stranger, self.owner, None)]
        for method, place, body, eye in requests:
            answer = ask(method, path + place, body, eye)
            assert answer.status >= 400, f"{place} {body} as {eye}: {answer.body!r}"
        if self.token is not None:
            self.try_moves(turn, deal, view["observation"], thorough)

    def try_moves(self, turn: int, deal: int, seen: dict[str, Any], thorough: bool) -> None:
        """Send batches of illegal moves, as answers and as free moves.

        They combine all verbs with a sixth of the pack, or with half of it if `thorough`.
        """
        rules = GAMES[self.play.game].table(self.play.seats, self.play.options)
        may = {*seen["legal_moves"], *seen["free_moves"]}
        texts = [text for text in tries(rules.pack[:: 2 if thorough else 6]) if text not in may]
        keyed: list[dict[str, Any]] = [{"turn": turn, "move": text} for text in texts]
        keyed += [{"deal": number, "move": text} for number in (deal, deal + 1) for text in texts[:6]]
        keyed += [{"turn": early, "move": text} for early in {1, max(1, turn - 1)} for text in texts[:6]]
        for at in range(0, len(keyed), 60):
            moves = [{"match": self.match, **one} for one in keyed[at : at + 60]]
            answer = self.worlds.ask("POST", "/v1/turns", {"moves": moves}, self.token)
            made = [
                result
                for result in answer.json()["results"]
                if not result.get("replayed", "problem" in result)
            ]
            assert not made, f"an illegal move was accepted: {made}"
        for one in keyed[:3]:
            self.worlds.ask("POST", f"/v1/matches/{self.match}/moves", one, self.token)

    def resign(self) -> None:
        """Resign for the viewer, or for seat 0 if the viewer is a spectator."""
        self.worlds.has_revealed = True
        path, token = f"/v1/matches/{self.match}/resign", self.token_of(self.play.viewer or 0)
        if self.token is None:
            self.worlds.tell("POST", path, None, token)
        else:
            assert self.worlds.ask("POST", path, None, token).json()["status"] == "finished"


def add_webhook(worlds: TwinWorlds, token: str, name: str) -> None:
    """Create a webhook of this owner. Its event does not happen here, so that nothing is sent to its address."""
    body = {"url": "https://hooks.example.com/kozyr", "events": ["rating.changed"]}
    worlds.make(
        "/v1/webhooks", body, token, {f"{name} webhook": ["webhook", "id"], f"{name} secret": ["secret"]}
    )


def addresses(worlds: TwinWorlds, known: Mapping[str, str]) -> Iterator[str]:
    """Yield every path that the OpenAPI document lets a viewer read. `known` has the values of path parameters."""
    for path, operations in worlds.document()["paths"].items():
        if "get" not in operations or path in OF_ITS_OWN:
            continue
        if path in REVEALING and worlds.has_revealed:
            continue
        for name in re.findall(r"\{(\w+)\}", path):
            assert name in known, f"{path}: add a value for {name} to `known`"
        for query in STREAMS.get(path, ("",)):
            yield re.sub(r"\{(\w+)\}", lambda found: known[found[1]], path + query)
