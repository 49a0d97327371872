"""Answers the turns of a service with programs that read and write lines.

The rule for every turn: the program is asked, and asked again after a failure, while time and attempts last. If it has
no usable answer then, the bridge makes the first legal move that the match shows, so that a broken program costs its
own matches only.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta
from typing import Any, Final, NamedTuple

from kozyr.connect.player import STARTING_S, ConnectedProgram, NoTimeLeft
from kozyr.lines.program import ProgramFailed
from kozyr.lines.protocol import TurnTexts, answer_of, for_new_reader, illegal, table_of, turn_line
from kozyr_client import AsyncClient, Finished, KozyrError, Turn
from records.instants import text_of
from records.match.assist import shown_moves
from records.words.reading import UnclearMove, read_move

NO_MOVE: Final = "-"
"""Stands for a move where a match lists none. It is refused, and the time of the turn runs out."""
ATTEMPTS: Final = 3
"""How often a program is asked for one turn."""
USELESS: Final = 3
"""Failures without a single answer after which the bridge gives up."""
MARGIN_S: Final = 0.3
"""How long before a deadline the bridge stops waiting for the program, in seconds."""
LOOK_S: Final = 0.5
"""How often the bridge looks whether an idle program still runs, in seconds."""
EVENTS_PAGE: Final = 1000
"""The events in a full page; a shorter page is the last one."""
MOST_THREADS: Final = 1024


class UselessProgram(Exception):
    """The program failed `USELESS` times and never answered. The text is the last reason."""


class ProgramCommand(NamedTuple):
    """How the bridge runs programs."""

    words: Sequence[str]
    per_match: bool = False
    starting_s: float = STARTING_S
    """How long a program may take from its start to its first answer, in seconds."""
    language: str | None = None
    """The language of a program that reads turns in words; `None` for one that reads JSON."""


class Bridge:
    """Connects a bot of a service with a program. `say` receives each message for the author, in one line.

    `events` is a client that does not retry: without the events of a turn the program is asked all the same.
    """

    def __init__(
        self, client: AsyncClient, events: AsyncClient, command: ProgramCommand, say: Callable[[str], object]
    ) -> None:
        self._client, self._events = client, events
        self._command, self._say = command, say
        self._threads = ThreadPoolExecutor(MOST_THREADS, thread_name_prefix="program")
        self._texts = None if command.language is None else TurnTexts(command.language)
        self._tables: dict[str, dict[str, Any]] = {}
        self._deals: dict[str, int] = {}
        """How many events came before the current deal of a match, for programs that are started again."""
        self._players: dict[str, ConnectedProgram] = {}
        self._leaving: set[asyncio.Task[None]] = set()
        self._answers = 0
        """Answers of all programs."""
        self.failed = 0
        """Turns that the bridge answered in the program's place."""

    async def play(
        self,
        *,
        matches: int | None = None,
        find: Mapping[str, Any] | None = None,
        on_finished: Callable[[Finished], object] | None = None,
    ) -> None:
        """Play until `matches` have finished, or until the client stops. `find` looks for opponents, as in
        `AsyncClient.play`. Raise `KozyrError` or `UselessProgram`."""

        def over(finished: Finished) -> None:
            self._forget(finished.match)
            if on_finished is not None:
                on_finished(finished)

        watching = asyncio.create_task(self._watch())
        playing = asyncio.create_task(
            self._client.play(self.choose, matches=matches, find=find, on_finished=over, on_illegal="first")
        )
        try:
            await asyncio.wait({watching, playing}, return_when=asyncio.FIRST_COMPLETED)
            if watching.done():
                watching.result()
            await playing
        finally:
            for task in (watching, playing):
                task.cancel()
            await asyncio.gather(watching, playing, return_exceptions=True)
            await self.close()

    async def close(self) -> None:
        """End all programs."""
        await asyncio.gather(*(player.close() for player in self._players.values()), *self._leaving)
        self._threads.shutdown()

    async def choose(self, turn: Turn) -> str:
        """Return the program's move, or the first legal one. Raise `UselessProgram`."""
        listed = [move for form in shown_moves(turn.observation) for move in form.expanded()]
        left = turn.seconds_left
        until = time.monotonic() + left - margin_s(left)
        for _ in range(ATTEMPTS):
            player = self._player(turn.match)
            try:
                async with asyncio.timeout_at(until):
                    line = await self._line(player, turn, until)
            except (KozyrError, TimeoutError) as why:
                self._say(
                    f"{_where(turn)}: the service doesn't describe the match ({str(why) or 'no answer in time'})"
                )
                break
            await asyncio.sleep(min(player.pause_s(), max(0.0, until - time.monotonic())))
            if time.monotonic() >= until:
                self._say(_where(turn) + ": no time is left to ask the program")
                break
            try:
                move, facts = answer_of(await player.ask(until, line))
            except NoTimeLeft as why:
                self._say(f"{_where(turn)}: {why}")
                break
            except ProgramFailed as why:
                self._report(player, f"{_where(turn)}: {why}")
                continue
            self._answers += 1
            turn.facts = dict(facts)
            if self._texts is not None:
                with suppress(UnclearMove):
                    read = read_move(move, [*listed, *turn.free_moves])
                    move, turn.facts["mended"] = read.move, list(read.mended)
            if not listed or move in listed or move in turn.free_moves:
                return move
            self._say(f"{_where(turn)}: {illegal(move)}")
            break
        self.failed += 1
        turn.facts = {}
        move = listed[0] if listed else NO_MOVE
        self._say(f"{_where(turn)}: the bridge plays {move}")
        return move

    def _player(self, match: str) -> ConnectedProgram:
        key = match if self._command.per_match else ""
        if key not in self._players:
            command = self._command
            self._players[key] = ConnectedProgram(command.words, self._threads, starting_s=command.starting_s)
        return self._players[key]

    async def _line(
        self, player: ConnectedProgram, turn: Turn, until: float
    ) -> Callable[[], Awaitable[bytes]]:
        """Return a function that returns the line with this turn, and notes the events that the program has read.

        What the line needs is read now. Only a program that was started again meanwhile needs other events. Raise
        `KozyrError` if the service doesn't describe a match that is new here.
        """
        match = turn.match
        if match not in self._tables:
            view = await self._client.match(match)
            self._tables[match] = table_of(view["game"], len(view["seats"]), view["options"])
        table, read = self._tables[match], player.seen.get(match)
        ready = await self._news(turn, read, until)

        async def line() -> bytes:
            now_read = player.seen.get(match)
            events = ready if now_read == read else await self._news(turn, now_read, until)
            if events:
                player.seen[match] = events[-1]["n"]
            write = turn_line if self._texts is None else self._texts.message
            return write(_as_of_now(turn), table=table, events=events)

        return line

    async def _news(self, turn: Turn, read: int | None, until: float) -> Sequence[Mapping[str, Any]]:
        """Return the events for a program that has read those up to this number, or none of the match."""
        match = turn.match
        found = await self._events_after(match, self._deals.get(match, 0) if read is None else read, until)
        for event in found:
            if event["type"] == "deal" and event["deal"] > 1:
                self._deals[match] = event["n"] - 1
        return found if read is not None else for_new_reader(found, turn["deal"])

    async def _events_after(self, match: str, after: int, until: float) -> list[dict[str, Any]]:
        """Return the events after this number; those that can't be read in half of the time left come later."""
        events: list[dict[str, Any]] = []
        with suppress(KozyrError, TimeoutError):
            async with asyncio.timeout((until - time.monotonic()) / 2):
                while page := (await self._events.events(match, events[-1]["n"] if events else after))[
                    "events"
                ]:
                    events += page
                    if len(page) < EVENTS_PAGE:
                        break
        return events

    async def _watch(self) -> None:
        """Start the program before its first turn, and restart it when it ends between turns.

        Raise `UselessProgram`. A program per match starts with the first turn of its match instead.
        """
        if self._command.per_match:
            await asyncio.get_running_loop().create_future()
        while True:
            player = self._player("")
            try:
                player.start_or_raise()
            except ProgramFailed as why:
                self._report(player, f"between two turns: {why}")
                await asyncio.sleep(player.pause_s())
            await asyncio.sleep(LOOK_S)

    def _report(self, player: ConnectedProgram, what: str) -> None:
        """Say why a program failed.

        Raise `UselessProgram` if no program has ever answered, and each one that plays has failed `USELESS` times.
        """
        self._say(what)
        if not self._answers and all(each.failures >= USELESS for each in self._players.values()):
            raise UselessProgram(f"the program failed {player.failures} times and never answered; {what}")

    def _forget(self, match: str) -> None:
        self._tables.pop(match, None)
        if self._texts is not None:
            self._texts.forget(match)
        self._deals.pop(match, None)
        player = self._players.pop(match, None)
        if player is not None:
            task = asyncio.create_task(player.close())
            self._leaving.add(task)
            task.add_done_callback(self._leaving.discard)


def margin_s(left: float) -> float:
    """Return how much of the seconds left for a turn is kept for the way to the service."""
    return min(MARGIN_S, left / 4)


def _as_of_now(turn: Turn) -> dict[str, Any]:
    """Return the turn with the present as its `now`: it may have waited for other turns."""
    if turn.deadline is None:
        return turn
    now = turn.deadline - timedelta(seconds=turn.seconds_left)
    return {**turn, "now": text_of(round(now.timestamp() * 1000))}


def _where(turn: Turn) -> str:
    return f"match {turn.match}, turn {turn.number}"
