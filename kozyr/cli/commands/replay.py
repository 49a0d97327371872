"""`kozyr replay`: a finished match, step by step in a terminal."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from kozyr.terminal import echo

if TYPE_CHECKING:
    from kozyr.reading.replay import Replay, ReplayPosition

KEYS: Final = "space next  b back  n next deal  p previous deal  a play  q quit"
LONGEST_S: Final = 3.0
"""The longest pause before a move at --speed 1, in seconds."""


@click.command()
@click.argument("source", metavar="MATCH|FILE|URL")
@click.option("--match", "match_id", metavar="ID", help="The match in a file with several records.")
@click.option("--seat", type=click.IntRange(min=0), help="Show what this seat saw.  [default: all hands]")
@click.option("--deal", type=click.IntRange(min=1), help="Show only this deal.")
@click.option(
    "--speed",
    type=click.FloatRange(min=0, min_open=True),
    default=1.0,
    show_default=True,
    help="How fast to play, as a multiple of the times in the record.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the frames as NDJSON, as the API sends them.")
def replay(
    source: str, match_id: str | None, seat: int | None, deal: int | None, speed: float, as_json: bool
) -> None:
    """Replay a finished match.

    Give the id of a match on the service (that of KOZYR_URL, or of your profile), a file of records (- for standard
    input), or the URL of a record. In a terminal, keys step through the match; elsewhere every move is a line.
    """
    from kozyr.reading.replay import BadReplay, Replay, ReplayPosition
    from records.match.frames import Hands

    try:
        record = record_of(source, match_id)
        shown = Replay(record, Hands.ALL if seat is None else seat, deal)
        if not as_json and sys.stdin.isatty() and sys.stdout.isatty():
            _step_through(ReplayPosition(shown), speed)
        else:
            echo(*_lines(shown, as_json))
    except BadReplay as why:
        raise click.ClickException(str(why)) from why


def _lines(shown: Replay, as_json: bool) -> list[str]:
    """Return all lines, before the first is printed: an error of the output is not one of the record."""
    from kozyr.reading.replay import replaying, transcript
    from records.match.frames import coded

    with replaying(shown.record):
        if as_json:
            lines = [json.dumps(frame, ensure_ascii=False) for frame in coded(shown.frames)]
        else:
            lines = list(transcript(shown))
        "\n".join(lines).encode()  # refuses a lone surrogate, which can't be printed
        return lines


def record_of(source: str, match_id: str | None) -> dict[str, Any]:
    """Return the only record of a match, file or URL, or the one with this id. Raises `BadReplay`."""
    from kozyr.reading.replay import BadReplay
    from kozyr.reading.verify import Source, UnreadableSource

    source = place_of(source)
    found: list[dict[str, Any]] = []
    try:
        for _, document in Source(source, [], lambda text: echo(f"kozyr: {text}", err=True)).documents():
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
    """Return the address of the service, as for the commands that call it. Raise `BadReplay`."""
    from kozyr.cli.author.profiles import Profiles
    from kozyr.cli.author.service import address
    from kozyr.cli.errors import CommandError
    from kozyr.reading.replay import BadReplay

    url, name = (os.environ.get(variable) or None for variable in ("KOZYR_URL", "KOZYR_PROFILE"))
    try:
        return address(Profiles(), url=url, token=None, name=name, bot=None, role="none").url
    except CommandError as why:
        raise BadReplay(str(why)) from why


def _step_through(place: ReplayPosition, speed: float) -> None:
    from kozyr.keyboard import pressed_keys
    from kozyr.reading.replay import replaying

    playing = False
    with pressed_keys() as key_within:
        while True:
            with replaying(place.replay.record):
                screen = _screen(place, playing)
                wait = _wait(place) / speed if playing else None
            click.clear()
            echo(*screen)
            key = key_within(wait)
            if key == "q":
                return
            if key == "a":
                playing = not playing
            elif key is None or key in " l":
                place = place.moved(1)
                playing = playing and place.at < len(place.replay.frames) - 1
            elif key in "bh":
                place = place.moved(-1)
            elif key in "np":
                place = place.next_deal(1 if key == "n" else -1)


def _wait(place: ReplayPosition) -> float:
    """Return the seconds until the next frame, by the time that its move took."""
    following = place.moved(1).frame
    ms: int = sum(event.get("ms", 0) for event in following.events)
    return max(0.2, min(ms / 1000, LONGEST_S))


def _screen(place: ReplayPosition, playing: bool) -> list[str]:
    shown: Replay = place.replay
    lines = [
        line for frame in shown.frames[max(0, place.at - 7) : place.at + 1] for line in shown.lines(frame)
    ]
    head = f"{place.at + 1} of {len(shown.frames)}{'  playing' if playing else ''}"
    return [head, "", *shown.table(place.frame), "", *lines[-8:], "", KEYS]
