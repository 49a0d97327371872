"""The tools: each call is a few requests to the service, and its result a text.

A result holds nothing that other people wrote: no names, versions or notes, and of a refusal only what the service or
the model itself says. Seats are numbers.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from engine.registry import GAMES
from kozyr.mcp.definitions import DEFAULT_PACE, TOOLS
from kozyr_client import Client, KozyrError
from kozyr_client.facts import facts_field
from kozyr_client.http import api_path
from records.match.assist import LIST, Assist, MoveForm, shown_moves
from records.words.digest import digest
from records.words.outcome import finished_text
from records.words.phrases import PHRASES
from records.words.reading import UnclearMove, WrittenMoves, read_move, spellings
from records.words.turn import move_lines

WAIT_S: Final = 45.0
"""How long a call waits at most, in seconds. Many clients give up after 60."""
PATIENCE_S: Final = 10.0
"""How long a request should be repeated, in seconds. A call must end before the model's client gives up."""
SLICE_S: Final = 10.0
"""How often a call that waits reports its progress, in seconds."""
STAY_S: Final = 120.0
"""For how long a bot stays present after a call that waited in vain, in seconds: its model may think meanwhile."""
TELLING: Final = frozenset(
    {"not_a_move", "illegal_move", "stale_turn", "not_your_turn", "bad_table", "invalid_body", "no_such_game"}
)
"""Refusals whose detail repeats nothing but the request and the rules."""

NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})

Json = dict[str, Any]


class ToolResult(NamedTuple):
    """What a tool returns to the model."""

    text: str
    is_error: bool = False
    waits: bool = False
    """Whether the bot still waits, so that it should stay present."""


Steps = Generator[str, None, ToolResult]
"""A call: yields its progress while it waits, and returns its result."""


class ToolMistake(Exception):
    """A call that the model should correct. The message says how."""


class Tools:
    """The tools of one bot."""

    def __init__(
        self, service: Client, language: str = "en", clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._service, self._language, self._clock = service, language, clock
        self._words = PHRASES[language]
        self._max_wait_s: float | None = None
        """The longest wait of a request, once it is known."""
        self._calls: Mapping[str, Callable[..., Steps]] = {
            "rules": self._rules,
            "start_match": self._start_match,
            "find_opponent": self._find_opponent,
            "wait": self._wait,
            "play": self._play,
            "result": self._result,
            "resign": self._resign,
        }

    def call(self, name: str, arguments: Mapping[str, Any]) -> Steps:
        """Call a tool. Refusals are results."""
        try:
            _check(name, arguments)
            return (yield from self._calls[name](**arguments))
        except ToolMistake as why:
            return ToolResult(str(why), is_error=True)
        except KozyrError as why:
            return ToolResult(_sentence(why), is_error=True)

    def stay(self) -> None:
        """Keep the bot present for `STAY_S` seconds, or until it has a turn."""
        until, since = self._clock() + STAY_S, None
        while (left := until - self._clock()) > 0:
            try:
                polled = self._poll(min(left, SLICE_S), since)
            except KozyrError:
                return
            if polled["turns"]:
                return
            since = polled["since"]

    def _rules(self, game: str) -> Steps:
        yield from ()
        return ToolResult(digest(game, self._language))

    def _start_match(
        self,
        game: str,
        opponent: str = "house/greedy",
        players: int | None = None,
        deals: int | None = None,
        options: Json | None = None,
        pace: str = DEFAULT_PACE,
        assist: Assist = LIST,
    ) -> Steps:
        counts = GAMES[game].seat_counts
        seats = min(counts) if players is None else players
        if seats not in counts:
            raise ToolMistake(f"players is one of {', '.join(map(str, counts))}")
        me = self._service.request("GET", "/v1/token")["name"]
        others = [opponent] * (seats - 1)
        if not opponent.startswith("house/"):
            others[1:] = ["house/greedy"] * (seats - 2)
        body = {**_wish(game, pace, assist), "seats": [me, *others], "options": options or {}}
        if deals is not None:
            body["deals"] = deals
        match = self._service.create("/v1/matches", body)["id"]
        return (yield from self._news(match))

    def _find_opponent(self, game: str, pace: str = DEFAULT_PACE, assist: Assist = LIST) -> Steps:
        entry = self._service.create("/v1/queue", _wish(game, pace, assist))
        until, since = self._clock() + WAIT_S, None
        while entry["match"] is None and (left := until - self._clock()) > 0:
            yield "waiting for an opponent"
            since = self._poll(min(left, SLICE_S), since)["since"]
            entry = self._queued() or entry
            if entry["state"] not in ("waiting", "matched"):
                return ToolResult("You left the queue. Call find_opponent again.", is_error=True)
        if entry["match"] is None:
            return ToolResult(self._words["no opponent"], waits=True)
        return (yield from self._news(entry["match"], until))

    def _queued(self) -> Json | None:
        try:
            found: Json = self._service.request("GET", "/v1/queue")
        except KozyrError as refused:
            if refused.status != 404:
                raise
            return None
        return found

    def _wait(self, match: str | None = None) -> Steps:
        return (yield from self._news(match))

    def _play(
        self, match: str, turn: int, move: str, thoughts: str = "", usage: Mapping[str, Any] = NOTHING
    ) -> Steps:
        view = self._view(match)
        if view["status"] == "finished" or view["turn"] is None or turn != view["turn"]:
            return (yield from self._play_again(view, turn, move))
        seen = view["observation"]
        if view["to_move"] != view["seat"]:
            raise ToolMistake(f"It is the turn of seat #{view['to_move']}. Call wait.")
        legal = {each for form in shown_moves(seen) for each in form.expanded()}
        try:
            read = read_move(move, {*legal, *seen["free_moves"]} or WrittenMoves(GAMES[view["game"]]))
        except UnclearMove as why:
            self._count_refusal(match, turn, move)
            raise ToolMistake(self._moves_after(f"Your move was not made: {why}.", seen)) from None
        free = read.move in seen["free_moves"] and read.move not in legal
        facts = facts_field({**usage, "mended": list(read.mended), "thoughts": thoughts})
        try:
            self._send(view, {"move": read.move, **facts}, free=free)
        except KozyrError as refused:
            if refused.code not in TELLING and refused.code != "match_over":
                raise
            return (yield from self._after_refusal(match, refused))
        note = self._words["mended"].format(mended=", ".join(read.mended)) if read.mended else ""
        return (yield from self._news(match, head=self._words["played"].format(move=read.move, note=note)))

    def _count_refusal(self, match: str, turn: int, move: str) -> None:
        """Let the service refuse and count an unclear move: it takes moves only as they are listed."""
        with suppress(KozyrError):
            self._service.request(
                "POST", api_path("matches", match, "moves"), body={"turn": turn, "move": move}
            )

    def _send(self, view: Json, move: Json, *, free: bool) -> None:
        """Make a move. In a match that lists none, only the service knows which ones are free."""
        where = {"deal": view["deal"]} if free else {"turn": view["turn"]}
        try:
            self._service.request("POST", api_path("matches", view["id"], "moves"), body={**where, **move})
        except KozyrError as refused:
            if free or refused.code != "free_move_with_turn":
                raise
            self._send(view, move, free=True)

    def _play_again(self, view: Json, turn: int, move: str) -> Steps:
        """Repeat a move of an earlier turn, which changes nothing, or refuse it and show the present turn."""
        match = view["id"]
        for text in spellings(move):
            try:
                self._service.request(
                    "POST", api_path("matches", match, "moves"), body={"turn": turn, "move": text}
                )
            except KozyrError as refused:
                if refused.code not in ("stale_turn", "match_over", "not_your_turn", "match_not_running"):
                    raise
            else:
                head = self._words["played before"].format(move=text, turn=turn)
                return (yield from self._news(match, head=head))
        head = self._words["not current"].format(turn=turn)
        found = yield from self._news(match, self._clock(), head=head)
        return found._replace(is_error=True)

    def _after_refusal(self, match: str, refused: KozyrError) -> Steps:
        found = yield from self._news(match, self._clock(), head=_sentence(refused))
        return found._replace(is_error=True)

    def _result(self, match: str) -> Steps:
        yield from ()
        view = self._view(match)
        if view["status"] == "finished":
            return ToolResult(finished_text({**view, "match": view["id"]}, self._language))
        words, mover = self._words, view["to_move"]
        text = words["running"].format(
            match=view["id"],
            status=words[f"status {view['status']}"],
            deal=view["deal"],
            deals=view["deals"],
            seat=view["seat"],
            mover=words["nobody"] if mover is None else words["mover"].format(seat=mover),
            scores=" ".join(map(str, view["scores"])),
        )
        return ToolResult(text)

    def _resign(self, match: str) -> Steps:
        yield from ()
        self._view(match)
        self._service.resign(match)
        return (yield from self._result(match))

    def _view(self, match: str) -> Json:
        """Return the match as its seat sees it. Raise `ToolMistake` for a match of others."""
        view: Json = self._service.match(match)
        if view["seat"] is None:
            raise ToolMistake("You do not play in this match.")
        return view

    def _news(self, match: str | None, until: float | None = None, head: str = "") -> Steps:
        """Return the next turn, or the end, of a match or of any; wait for it until an instant."""
        until = self._clock() + WAIT_S if until is None else until
        since = None
        while True:
            left = until - self._clock()
            polled = self._poll(0.0 if since is None else max(0.0, min(left, SLICE_S)), since)
            is_first, since = since is None, polled["since"]
            for turn in polled["turns"]:
                if match in (None, turn["match"]) and (text := self._turn(turn["match"])):
                    return ToolResult(f"{head}\n{text}".strip())
            for over in polled["finished"]:
                if over["match"] == match or (match is None and not is_first):
                    return ToolResult(f"{head}\n{finished_text(over, self._language)}".strip())
            if match is not None and is_first and self._is_over(match):
                result = yield from self._result(match)
                return ToolResult(f"{head}\n{result.text}".strip())
            if left <= 0:
                hint = self._words["no turn of any" if match is None else "no turn"]
                return ToolResult(f"{head}\n{hint}".strip(), waits=True)
            yield "waiting for the other seats"

    def _is_over(self, match: str) -> bool:
        return bool(self._view(match)["status"] == "finished")

    def _turn(self, match: str) -> str | None:
        """Return the open turn of a match in words."""
        messages = self._service.turns_in_words(self._language).strip().split("\n\n")
        return next((text for text in messages if f" {match}, " in text.partition("\n")[0]), None)

    def _poll(self, wait: float, since: str | None) -> Json:
        if wait and self._max_wait_s is None:
            self._max_wait_s = float(self._service.limits()["max_wait_s"])
        wait = min(wait, self._max_wait_s or 0.0)
        body: Json = {"moves": [], "wait": wait}
        if since is not None:
            body["since"] = since
        found: Json = self._service.request("POST", "/v1/turns", body=body, wait=wait)
        return found

    def _moves_after(self, head: str, seen: Mapping[str, Any]) -> str:
        lines = move_lines(self._language, [*shown_moves(seen), *map(MoveForm, seen["free_moves"])])
        return "\n".join([head, "Moves:", *lines] if lines else [head])


def _check(name: str, arguments: Mapping[str, Any]) -> None:
    """Raise `ToolMistake` for an unknown tool, and for arguments that its schema does not allow."""
    tool = next((tool for tool in TOOLS if tool["name"] == name), None)
    if tool is None:
        raise ToolMistake(f"There is no such tool. Tools: {', '.join(each['name'] for each in TOOLS)}.")
    properties = tool["inputSchema"]["properties"]
    faults = [each for each in tool["inputSchema"]["required"] if each not in arguments]
    if faults:
        raise ToolMistake(f"Missing: {', '.join(faults)}.")
    if any(each not in properties for each in arguments):
        raise ToolMistake(f"The arguments of {name} are: {', '.join(properties)}.")
    for argument, value in arguments.items():
        schema = properties[argument]
        if not _fits(value, schema):
            wanted: Sequence[str] = schema.get("enum") or [f"of type {schema['type']}"]
            raise ToolMistake(f"{argument} must be {' or '.join(wanted)}.")


def _fits(value: Any, schema: Mapping[str, Any]) -> bool:
    kinds = {"string": str, "integer": int, "object": dict}
    fits = isinstance(value, kinds[schema["type"]]) and not isinstance(value, bool)
    return fits and value in schema.get("enum", (value,))


def _wish(game: str, pace: str, assist: Assist) -> Json:
    """Return what a request for a match says of the game."""
    return {"game": game, "clock": {"pace": pace}, "assist": assist}


def _sentence(refused: KozyrError) -> str:
    """Return why the service refused or that it is away, without what other people wrote."""
    if refused.status is None or refused.code.startswith("http_"):
        return "The service does not answer. Call the same tool again."
    title = refused.problem.get("title", refused.code)
    detail = refused.problem.get("detail") if refused.code in TELLING else None
    return f"Refused ({refused.code}): {(detail or title).rstrip('.')}."
