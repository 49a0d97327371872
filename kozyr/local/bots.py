"""The bots of a local tournament: their names on the command line, and what answers for them.

    house/greedy, greedy       a house bot; `random`, `search` and `search-100ms` are others
    search:200                 the house's search bot with 200 playouts per move, the same on every machine
    package.module:Class       your class; its instances answer like house bots
    "python my_bot.py --fast"  your program; it reads turns and writes moves, one per line (docs/local-play.md)

`name=…` before a bot that is not a house bot names it.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import re
import shlex
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import FrameType
from typing import Any, Final, NamedTuple, TextIO

from bots.house import HOUSE_BOTS
from kozyr.local.match import BotAnswer, BotQuestion, Chair, NoAnswer
from records.match.session import Seat

_NAME: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,31}")
_SEARCH: Final = re.compile(r"search:([1-9][0-9]{0,6})")
_CLASS: Final = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")


class BadBot(ValueError):
    """A bot can't play. The text says why and what is allowed."""


class LocalBot(NamedTuple):
    """A bot and how to ask it: `kind` is `house`, `thinker`, `search`, `class`, `command` or `mcp`."""

    seat: Seat
    kind: str
    words: tuple[str, ...]
    """A house bot's name, a number of playouts, a class, or the words of a command."""


def bot(text: str) -> LocalBot:
    """Return the bot that a text names. Raise `BadBot`, also for a missing class or program."""
    named = re.fullmatch(r"([^=\s/:]+)=(.+)", text)
    name, target = (named[1], named[2].strip()) if named else (None, text.strip())
    if name is not None and not _NAME.fullmatch(name):
        raise BadBot(
            f"{name!r} can't name a bot: use 1 to 32 characters of a-z, 0-9 and -, not starting with -"
        )
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


def mcp_client(text: str) -> LocalBot:
    """Return an MCP client that a command starts. Raise `BadBot`."""
    named = re.fullmatch(rf"({_NAME.pattern})=(.+)", text.strip())
    words = _words(named[2] if named else text.strip())
    return LocalBot(_seat(named[1] if named else _script_name(words), "1"), "mcp", words)


def chair(found: LocalBot, logs: Path) -> Chair | None:
    """Return what answers for the bot, or `None` for a house bot that the match asks itself.

    The standard error of your programs, and exceptions and prints of your classes, go to one file per bot in the folder
    `logs`.
    """
    from bots.search import Iterations, SearchBot
    from kozyr.local.command import Command

    if found.kind == "house":
        return None
    if found.kind == "thinker":
        from bots.thinking import Thinkers

        return ThinkingHouseBot(Thinkers()[found.words[0]].think, timed=True)
    if found.kind == "search":
        playouts = Iterations(int(found.words[0]))
        return ThinkingHouseBot(SearchBot(found.seat.name, playouts).think, timed=False)
    log = logs / f"{found.seat.name}.log"
    if found.kind == "class":
        return Instance(found.words[0], log)
    return Command(found.words, log)


class ThinkingHouseBot:
    """A house bot that thinks. With a number of playouts it takes no clock time: its records are reproducible."""

    def __init__(self, think: Callable[..., str], *, timed: bool) -> None:
        self._think, self._timed = think, timed

    def answer(self, question: BotQuestion) -> BotAnswer:
        """Return the best move it found."""
        began = time.monotonic()
        seen, legal = question.observation(), question.legal_moves()
        text = self._think(question.game, seen, legal, question.history(), question.rng)
        return BotAnswer(text, int(1000 * (time.monotonic() - began)) if self._timed else 0)


class Instance:
    """An instance of your class. Its `think` is called if it has one, otherwise `choose`, as for house bots
    (`records.match.players`). An exception counts as a missing answer. Its time limit interrupts Python code, but not
    native code. Exceptions, and what Python code prints, go to the file `log`."""

    def __init__(self, target: str, log: Path) -> None:
        """The instance is made when it is first asked, without a time limit."""
        self._target, self._path = target, log
        self._player: Any = None
        self._broken: NoAnswer | None = None
        self._opened: TextIO | None = None

    def answer(self, question: BotQuestion) -> BotAnswer:
        """Return its move. Raise `NoAnswer`."""
        if self._broken is not None:
            raise self._broken
        if self._player is None:
            try:
                with self._guarded():
                    self._player = _class(self._target)()
            except NoAnswer as why:
                self._broken = why  # its next attempt would take as long and fail again
                raise
        seen, legal = question.observation(), question.legal_moves()
        asked: list[Any] = [question.game, seen, legal]
        ask = getattr(self._player, "think", None)
        if ask is None:
            ask = self._player.choose
        else:
            asked.append(question.history())
        began = time.monotonic()
        try:
            with self._guarded(), _at_most(question.move_ms / 1000):
                text = ask(*asked, question.rng)
        except _TimeUp:
            raise NoAnswer(f"no answer within {question.move_ms} ms") from None
        if not isinstance(text, str):
            raise NoAnswer(f"it returned {text!r}, which is no text")
        return BotAnswer(text, int(1000 * (time.monotonic() - began)))

    @contextlib.contextmanager
    def _guarded(self) -> Iterator[None]:
        """Send what is printed in the block to the log, and turn every exception of the class into `NoAnswer`.

        A `KeyboardInterrupt` is the class's own: a process that plays classes ignores Ctrl-C.
        """
        try:
            log = self._log()
        except OSError as why:
            raise NoAnswer(f"its log can't be written: {why}") from why
        try:
            with contextlib.redirect_stdout(log), contextlib.redirect_stderr(log):
                yield
        except Interruption:
            raise
        except BaseException as why:
            import traceback

            with contextlib.suppress(OSError, ValueError):  # its log can't be written
                traceback.print_exc(file=self._log())
            raise NoAnswer(f"it raised {type(why).__name__}: {_text(why)}") from why

    def _log(self) -> TextIO:
        """Return the log. It stays open, since the bot's own loggers may write to it, unless the bot closes it."""
        if self._opened is None or self._opened.closed:
            self._opened = self._path.open("a", buffering=1, encoding="utf-8", errors="backslashreplace")
        return self._opened


def _text(why: BaseException) -> str:
    """Return the text of an exception in a form that can be printed."""
    try:
        text = str(why)
    except Exception:
        return "its text can't be read"
    return text.encode(errors="backslashreplace").decode()


class Interruption(BaseException):
    """The tournament interrupts a bot. Not an `Exception`, so the bot's own handlers don't catch it."""


class _TimeUp(Interruption):
    """The time of the bot is up."""


@contextlib.contextmanager
def _at_most(seconds: float) -> Iterator[None]:
    """Raise `_TimeUp` in the block when the time is up. Works only in the main thread of a process. Windows has no
    timer for it: there it raises `_TimeUp` after the block."""
    if not hasattr(signal, "setitimer"):
        until = time.monotonic() + seconds
        yield
        if time.monotonic() > until:
            raise _TimeUp
        return
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
        from bots.thinking import Thinkers

        versions |= {known: player.version for known, player in Thinkers().items()}
    return versions


def _seat(name: str, version: str) -> Seat:
    return Seat(f"local/{name}", f"local-{name}", version)


def _class(target: str) -> Any:
    module, _, name = target.partition(":")
    if "" not in sys.path:
        sys.path.insert(0, "")
    try:
        with contextlib.redirect_stdout(sys.stderr):  # standard output is for results
            found = getattr(importlib.import_module(module), name)
    except Exception as why:
        raise BadBot(f"{target} can't be imported: {type(why).__name__}: {why}") from why
    if not callable(getattr(found, "choose", None)) and not callable(getattr(found, "think", None)):
        raise BadBot(f"{target} has neither `choose` nor `think` to be asked for a move")
    return found


def _words(target: str) -> tuple[str, ...]:
    try:
        words = _split(target)
    except ValueError as why:
        raise BadBot(f"{target!r} can't be read as a command: {why}") from None
    if not words or shutil.which(words[0]) is None:
        import difflib

        known = [*HOUSE_BOTS, "search", "search-100ms"]
        near = difflib.get_close_matches(target, known, 1)
        raise BadBot(
            f"{target!r} is no bot: neither a house bot ({', '.join(known)}, search:PLAYOUTS), nor a class"
            " (package.module:Class), nor a program that can be run"
            + (f". Did you mean {near[0]}?" if near else "")
        )
    return tuple(words)


def _split(command: str) -> list[str]:
    """Return the words of a command. On Windows `\\` divides folders. Raise `ValueError`."""
    if os.name == "posix":
        return shlex.split(command)
    return [word.strip('"') for word in shlex.split(command, posix=False)]


def _script_name(words: Sequence[str]) -> str:
    script = next((word for word in words[1:] if Path(word).is_file()), words[0])
    return _named_after(Path(script).stem)


def _named_after(text: str) -> str:
    """Return a bot name for a class or file name: `my-bot` for `MyBot` and `my_bot`."""
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", text).lower()
    return re.sub(r"[^a-z0-9]+", "-", apart).strip("-")[:32] or "bot"
