"""Who plays: bots as they are named on the command line, and what answers for them in a process that plays.

    house/greedy, greedy       a house bot; `random`, `search` and `search-100ms` are others
    search:200                 the house's search bot with 200 playouts a move, the same again on every machine
    package.module:Class       a class of yours; its instances answer like house bots
    "python my_bot.py --fast"  a program of yours; it reads turns and writes moves, a line each (docs/local-play.md)

`name=…` before any but a house bot gives it a name of your own.
"""

from __future__ import annotations

import contextlib
import difflib
import importlib
import re
import shlex
import shutil
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import FrameType
from typing import Any, Final, NamedTuple

from bots.house import HOUSE_BOTS
from kozyr.local.match import BotAnswer, BotQuestion, Chair, NoAnswer
from referee.match.session import Seat

_NAME: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,31}")
_SEARCH: Final = re.compile(r"search:([1-9][0-9]{0,6})")
_CLASS: Final = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")


class BadBot(ValueError):
    """A bot that can't play. The text says why, and what could."""


class LocalBot(NamedTuple):
    """A bot, and how it is asked: `kind` is `house`, `thinker`, `search`, `class` or `command`."""

    seat: Seat
    kind: str
    words: tuple[str, ...]
    """What is asked: a house bot's name, a number of playouts, a class, or a command's words."""


def bot(text: str) -> LocalBot:
    """The bot that is meant. Raises `BadBot`, also for a class or a program that is not there."""
    named = re.fullmatch(r"([^=\s/:]+)=(.+)", text)
    name, target = (named[1], named[2].strip()) if named else (None, text.strip())
    if name is not None and not _NAME.fullmatch(name):
        raise BadBot(f"{name!r} can't name a bot: a name is 1 to 32 of a-z, 0-9 and -, the first no -")
    plain = target.removeprefix("house/")
    versions = _house_versions(plain)
    if plain in versions:
        if name is not None:
            raise BadBot(f"{target} is a house bot and keeps its name; write it without {name!r}")
        kind = "house" if plain in HOUSE_BOTS else "thinker"
        return LocalBot(Seat(f"house/{plain}", f"house-{plain}", versions[plain], True), kind, (plain,))
    if found := _SEARCH.fullmatch(plain):
        version = _house_versions("search")["search"]
        return LocalBot(_seat(name or f"search-{found[1]}", version), "search", (found[1],))
    if _CLASS.fullmatch(target):
        version = str(getattr(_class(target), "version", "1"))
        return LocalBot(_seat(name or _named_after(target.rpartition(":")[2]), version), "class", (target,))
    words = _words(target)
    return LocalBot(_seat(name or _script_name(words), "1"), "command", words)


def chair(found: LocalBot, logs: Path) -> Chair | None:
    """What answers for the bot; nothing for a house bot that the table asks itself. What a bot of yours says on its
    standard error, or raises, goes into a file of its own in the folder `logs`."""
    from bots.search import Iterations, SearchBot
    from kozyr.local.command import Command

    if found.kind == "house":
        return None
    if found.kind == "thinker":
        from kozyr.house import THINKERS

        return Thinking(THINKERS[found.words[0]].think, timed=True)
    if found.kind == "search":
        playouts = Iterations(int(found.words[0]))
        return Thinking(SearchBot(found.seat.name, playouts).think, timed=False)
    log = logs / f"{found.seat.name}.log"
    if found.kind == "class":
        return Instance(_class(found.words[0])(), log)
    return Command(found.words, log)


class Thinking:
    """A thinking house bot. One that counts playouts takes no time: its records are the same again."""

    def __init__(self, think: Callable[..., str], *, timed: bool) -> None:
        self._think, self._timed = think, timed

    def answer(self, question: BotQuestion) -> BotAnswer:
        """What it thinks is best."""
        began = time.monotonic()
        seen, legal = question.observation(), question.legal_moves()
        text = self._think(question.game, seen, legal, question.history(), question.rng)
        return BotAnswer(text, int(1000 * (time.monotonic() - began)) if self._timed else 0)


class Instance:
    """An object of a class of yours. It is asked `think`, where it has that, or `choose`, as house bots are
    (`referee.match.players`). Whatever it raises is no answer; time is up when it is up, unless it sits in foreign
    code."""

    def __init__(self, player: Any, log: Path) -> None:
        self._player, self._log = player, log

    def answer(self, question: BotQuestion) -> BotAnswer:
        """What it returns. Raises `NoAnswer`."""
        seen, legal = question.observation(), question.legal_moves()
        asked: list[Any] = [question.game, seen, legal]
        ask = getattr(self._player, "think", None)
        if ask is None:
            ask = self._player.choose
        else:
            asked.append(question.history())
        began = time.monotonic()
        try:
            with _at_most(question.move_ms / 1000):
                text = ask(*asked, question.rng)
        except _TimeUp:
            raise NoAnswer(f"no answer within {question.move_ms} ms") from None
        except (Exception, SystemExit) as why:
            with self._log.open("a") as log:
                traceback.print_exc(file=log)
            raise NoAnswer(f"it raised {type(why).__name__}: {why}") from why
        if not isinstance(text, str):
            raise NoAnswer(f"it returned {text!r}, which is no text")
        return BotAnswer(text, int(1000 * (time.monotonic() - began)))


class _TimeUp(BaseException):
    """Raised inside a bot whose time is up; no `except Exception` of its own catches it."""


@contextlib.contextmanager
def _at_most(seconds: float) -> Iterator[None]:
    """Raises `_TimeUp` in here when the time is up; only a process's main thread can be told so."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def over(signum: int, frame: FrameType | None) -> None:
        raise _TimeUp

    before = signal.signal(signal.SIGALRM, over)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _house_versions(name: str) -> dict[str, str]:
    versions = {known: player.version for known, player in HOUSE_BOTS.items()}
    if name not in versions and name.startswith("search"):
        from kozyr.house import THINKERS

        versions |= {known: player.version for known, player in THINKERS.items()}
    return versions


def _seat(name: str, version: str) -> Seat:
    return Seat(f"local/{name}", f"local-{name}", version)


def _class(target: str) -> Any:
    module, _, name = target.partition(":")
    if "" not in sys.path:
        sys.path.insert(0, "")
    try:
        found = getattr(importlib.import_module(module), name)
    except Exception as why:
        raise BadBot(f"{target} can't be imported: {type(why).__name__}: {why}") from why
    if not callable(getattr(found, "choose", None)) and not callable(getattr(found, "think", None)):
        raise BadBot(f"{target} has neither `choose` nor `think` to be asked for a move")
    return found


def _words(target: str) -> tuple[str, ...]:
    try:
        words = shlex.split(target)
    except ValueError as why:
        raise BadBot(f"{target!r} can't be read as a command: {why}") from None
    if not words or shutil.which(words[0]) is None:
        known = [*HOUSE_BOTS, "search", "search-100ms"]
        near = difflib.get_close_matches(target, known, 1)
        raise BadBot(
            f"{target!r} is no bot: neither a house bot ({', '.join(known)}, search:PLAYOUTS), nor a class"
            " (package.module:Class), nor a program that can be run"
            + (f". Did you mean {near[0]}?" if near else "")
        )
    return tuple(words)


def _script_name(words: Sequence[str]) -> str:
    script = next((word for word in words[1:] if Path(word).is_file()), words[0])
    return _named_after(Path(script).stem)


def _named_after(text: str) -> str:
    """A name for a bot from that of its class or file: `MyBot` and `my_bot` are `my-bot`."""
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", text).lower()
    return re.sub(r"[^a-z0-9]+", "-", apart).strip("-")[:32] or "bot"
