"""The result of a comparison, as tables and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from kozyr.cli.comparison.result import Comparison, ComparisonEnding, UncountedGroup
from kozyr.cli.comparison.run import ComparisonRun
from kozyr.cli.errors import message_of
from kozyr.console import table
from kozyr.local.show import interval, leads, sprt_document, sprt_line
from kozyr.terminal import echo, harmless

_UNCOUNTED: Final = {
    UncountedGroup.ABORTED: "aborted, because a bot did not show up",
    UncountedGroup.VOID: "void",
}


def tables(run: ComparisonRun) -> Iterator[RenderableType]:
    """Yield the result so far: the bots, the lead, the test, and what does not count."""
    found = run.comparison
    if found.groups:
        yield _bots(found)
        yield leads([(*found.names, found.lead())])
        yield Text(balance(found))
    if found.sprt is not None:
        yield sprt_line(found.sprt, *found.names, "groups")
    for kind, count in found.uncounted.items():
        if count:
            yield Text(f"not counted: {count} {_groups(count)} {_UNCOUNTED[kind]}")
    for line in notices(run):
        yield Text(line, "yellow")


def notices(run: ComparisonRun) -> Iterator[str]:
    """Yield what keeps the comparison from going on now."""
    found = run.comparison
    if found.ending is None and run.waits_for is not None:
        yield f"waiting: {message_of(run.waits_for)}"
    if found.ending is None and not found.groups:
        yield from (f"{name} is offline: start it, or its groups will be aborted" for name in run.offline)


def report_notices(run: ComparisonRun, reported: set[str]) -> None:
    """Print the notices that were not `reported` yet, and note them there."""
    for line in notices(run):
        if line not in reported:
            echo(f"kozyr: {line}", err=True)
            reported.add(line)


def document(run: ComparisonRun) -> dict[str, Any]:
    """Return the result as JSON."""
    found = run.comparison
    ahead, even, behind = found.balance()
    bots = [
        {
            "bot": name,
            "version": version,
            "points_per_deal": found.points_per_deal(name).to_json(),
            "forfeits": forfeits(found, place),
        }
        for place, (name, version) in enumerate(zip(found.names, found.versions or (), strict=False))
    ]
    return {
        "game": run.request.game,
        "options": dict(run.request.options),
        "bots": bots,
        "lead": found.lead().to_json() if found.groups else None,
        "ahead": ahead,
        "even": even,
        "behind": behind,
        "sprt": sprt_document(found.sprt),
        "groups": [group.to_json() for group in found.groups],
        "uncounted": {kind.value: count for kind, count in found.uncounted.items()},
        "running": list(run.running),
        "unsure": run.unsure,
        "ending": found.ending,
        "changed": None if found.changed is None else list(found.changed),
    }


def last_lines(run: ComparisonRun) -> Iterator[str]:
    """Yield why the comparison ended, unless it is complete, and which groups go on without it."""
    found, count = run.comparison, len(run.comparison.groups)
    if found.ending is ComparisonEnding.INTERRUPTED:
        yield f"stopped after {count} {_groups(count)}"
    if run.running:
        running = len(run.running)
        more = "; another one may have started" if run.unsure else ""
        yield f"{running} {_groups(running)} still running, not counted{more}: {' '.join(run.running)}"
    elif run.unsure:
        yield "a group may have started whose id is unknown"


def failure(found: Comparison) -> str | None:
    """Return the error with which a comparison ends whose bots made it useless."""
    one, other = found.names
    if found.ending is ComparisonEnding.ABSENT:
        return f"the last groups were aborted because a bot did not show up: start {one} and {other}"
    if found.ending is ComparisonEnding.CHANGED and found.changed is not None and found.versions is not None:
        changes = [
            f"{name} from version {harmless(before)} to {harmless(after)}"
            for name, before, after in zip(found.names, found.versions, found.changed, strict=True)
            if before != after
        ]
        return (
            f"{' and '.join(changes)}: a result belongs to one pair of versions, so the comparison ends; "
            "run the command again for the new ones"
        )
    return None


def balance(found: Comparison) -> str:
    """Return in how many groups the first bot was ahead."""
    ahead, even, behind = found.balance()
    total = len(found.groups)
    return f"{found.names[0]} was ahead in {ahead} of {total} {_groups(total)}, even in {even}, behind in {behind}"


def forfeits(found: Comparison, place: int) -> int:
    """Return how many seats the bot with this place in the comparison forfeited."""
    return sum(group.bots[place].forfeits for group in found.groups)


def _bots(found: Comparison) -> Table:
    made = table("bot", "version", "points per deal", "95 %", "deals", "forfeits", texts={"bot", "version"})
    assert found.versions is not None
    for place, (name, version) in enumerate(zip(found.names, found.versions, strict=True)):
        estimate = found.points_per_deal(name)
        made.add_row(
            name,
            harmless(version),
            f"{estimate.mean:+.3f}",
            interval(estimate),
            str(estimate.deals),
            str(forfeits(found, place)),
        )
    return made


def _groups(count: int) -> str:
    return "group" if count == 1 else "groups"
