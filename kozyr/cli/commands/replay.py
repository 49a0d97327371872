"""`kozyr replay`: a finished match, step by step in a terminal."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from kozyr.cli.errors import show_warnings
from kozyr.cli.output import json_option, wants_json
from kozyr.terminal import echo

if TYPE_CHECKING:
    from kozyr.reading.replay import Replay, ReplayPosition

KEYS: Final = "space next  b back  n next deal  p previous deal  q quit"


@click.command()
@click.argument("source", metavar="MATCH|FILE|URL")
@click.option("--match", "match_id", metavar="ID", help="The match in a file with several records.")
@click.option("--seat", type=click.IntRange(min=0), help="Show what this seat saw.  [default: all hands]")
@click.option("--deal", type=click.IntRange(min=1), help="Show only this deal.")
@json_option("Print the frames as NDJSON, as the API sends them.")
def replay(source: str, match_id: str | None, seat: int | None, deal: int | None) -> None:
    """Replay a finished match.

    Give the id of a match on the service (that of KOZYR_URL, or of your profile), a file of records (- for standard
    input), or the URL of a record. In a terminal, keys step through the match; elsewhere every move is a line.
    """
    from kozyr.reading.replay import Replay, ReplayPosition
    from records.match.frames import Hands

    record = record_of(source, match_id)
    shown = Replay(record, Hands.ALL if seat is None else seat, deal)
    if not wants_json() and sys.stdin.isatty() and sys.stdout.isatty():
        _step_through(ReplayPosition(shown))
    else:
        echo(*_lines(shown))


def _lines(shown: Replay) -> list[str]:
    """Return all lines, before the first is printed: an error of the output is not one of the record."""
    from kozyr.reading.replay import replaying, transcript
    from records.match.frames import coded

    with replaying(shown.record):
        if wants_json():
            lines = [json.dumps(frame, ensure_ascii=False) for frame in coded(shown.frames)]
        else:
            lines = list(transcript(shown))
        "\n".join(lines).encode()  # refuses a lone surrogate, which can't be printed
        return lines


def record_of(source: str, match_id: str | None) -> dict[str, Any]:
    """Return the only record of a match, file or URL, or the one with this id. Raises `BadReplay`."""
    from kozyr.reading.replay import BadReplay
    from kozyr.reading.verify import Source, UnreadableSource

    show_warnings()
    source = place_of(source)
    found: list[dict[str, Any]] = []
    try:
        for _, document in Source(source, []).documents():
            if isinstance(document, dict) and match_id in (None, document.get("id")):
                found.append(document)
            if len(found) > 1 or (found and match_id is not None):
                break
    except UnreadableSource as why:
        missing = isinstance(why.__cause__, FileNotFoundError)
        raise BadReplay(f"{source} is neither the id of a match nor a file" if missing else str(why)) from why
    if not found:
        raise BadReplay(f"{source} has no record" + (f" of match {match_id}" if match_id else ""))
    if len(found) > 1:
        raise BadReplay(
            f"{source} has several records; choose one with --match, for example {found[0]['id']}"
        )
    return found[0]


def place_of(source: str) -> str:
    """Return the URL of the record of a match for its id, or a file or URL as it is. Raise `BadReplay`."""
    from kozyr.cli.options import address_fault
    from kozyr.reading.replay import BadReplay
    from records.ids import is_match_id

    server = "/".join(source.split("/", 3)[: 3 if "://" in source else 1])
    is_address = "://" in server or ("@" in server.partition(":")[2] and not Path(source).exists())
    if is_address and (fault := address_fault(server)):
        raise BadReplay(fault)
    return f"{_service()}/v1/matches/{source}/record" if is_match_id(source) else source


def _service() -> str:
    """Return the address of the service, as for the commands that call it. Raise `ProfileError`."""
    from kozyr.cli.author.profiles import Profiles
    from kozyr.cli.author.service import address

    url, name = (os.environ.get(variable) or None for variable in ("KOZYR_URL", "KOZYR_PROFILE"))
    return address(Profiles(), url=url, token=None, name=name, bot=None, role="none").url


@contextmanager
def _pressed_keys() -> Iterator[Callable[[], str]]:
    """Yield what returns the next key, without echo, and `q` at the end of the input. Raise `OSError`."""
    try:
        import termios
        import tty
    except ImportError:  # Windows
        yield click.getchar
        return
    keyboard = sys.stdin.fileno()
    try:
        before = termios.tcgetattr(keyboard)
        tty.setcbreak(
            keyboard
        )  # for all keys: `click.getchar` loses those that are pressed between two calls
        try:
            yield lambda: os.read(keyboard, 1).decode(errors="replace") or "q"
        finally:
            termios.tcsetattr(keyboard, termios.TCSADRAIN, before)
    except termios.error as why:
        raise OSError(*why.args) from why


def _step_through(place: ReplayPosition) -> None:
    """Show positions, and take keys, until `q`. Raise `ClickException` if the terminal fails."""
    from kozyr.reading.replay import replaying

    try:
        with _pressed_keys() as next_key:
            while True:
                with replaying(place.replay.record):
                    screen = _screen(place)
                click.clear()
                echo(*screen)
                key = next_key()
                if key == "q":
                    return
                if key in " l":
                    place = place.moved(1)
                elif key in "bh":
                    place = place.moved(-1)
                elif key in "np":
                    place = place.next_deal(1 if key == "n" else -1)
    except (OSError, UnicodeError) as why:
        raise click.ClickException(f"the terminal can't be used: {why}") from why


def _screen(place: ReplayPosition) -> list[str]:
    shown: Replay = place.replay
    lines = [
        line for frame in shown.frames[max(0, place.at - 7) : place.at + 1] for line in shown.lines(frame)
    ]
    head = f"{place.at + 1} of {len(shown.frames)}"
    return [head, "", *shown.table(place.frame), "", *lines[-8:], "", KEYS]
