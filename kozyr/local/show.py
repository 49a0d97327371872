"""The result of a local tournament, as tables and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import combinations
from typing import Any, Final

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from kozyr.console import table
from kozyr.local.run import Tournament
from records.results.group_statistics import Estimate
from records.results.sprt import Sprt, SprtVerdict

MOST_PAIRS: Final = 10
"""The number of pairwise differences that are shown."""


def tables(run: Tournament) -> Iterator[RenderableType]:
    """Yield the result so far: standings, pairwise leads, the test, and failures."""
    if not run.matches:
        return
    yield _standings(run)
    yield _differences(run)
    if run.sprt is not None:
        one, other = (bot.bot for bot in run.plan.bots[:2])
        yield sprt_line(run.sprt, one, other, "groups" if run.plan.duplicate else "matches")
    for bot, count in sorted(run.failures.items()):
        turns = "one turn" if count == 1 else f"{count} turns"
        yield Text(
            f"{bot}: no usable answer in {turns}, so the safe move was played; first: {run.reasons[bot]}",
            "yellow",
        )


def document(run: Tournament) -> dict[str, Any]:
    """Return the result so far as JSON."""
    names = run.tally.bots
    bots = [
        {"bot": names[bot], "points_per_deal": run.tally.of(bot).to_json(), "forfeits": run.forfeits[bot]}
        for bot in names
    ]
    return {
        "game": run.plan.game,
        "matches": run.matches,
        "planned": run.plan.matches,
        "bots": sorted(bots, key=lambda each: (-each["points_per_deal"]["mean"], each["bot"])),
        "differences": [
            {"bot": names[one], "other": names[other], **lead.to_json()} for one, other, lead in _leads(run)
        ],
        "sprt": sprt_document(run.sprt),
        "failures": [
            {"bot": bot, "count": count, "first": run.reasons[bot]}
            for bot, count in sorted(run.failures.items())
        ],
    }


def _leads(run: Tournament) -> Iterator[tuple[str, str, Estimate]]:
    """Yield the lead of each bot over each other that it has met."""
    for one, other in list(combinations([bot.id for bot in run.plan.bots], 2))[:MOST_PAIRS]:
        with suppress(ValueError):  # they have not met yet
            yield one, other, run.tally.difference(one, other)


def _standings(run: Tournament) -> Table:
    found = {bot: run.tally.of(bot) for bot in run.tally.bots}
    units = "groups" if run.plan.duplicate else "matches"
    made = table("bot", "points per deal", "95 %", "deals", units, "forfeits", texts={"bot"})
    for bot, estimate in sorted(found.items(), key=lambda one: (-one[1].mean, one[0])):
        made.add_row(
            run.tally.bots[bot],
            f"{estimate.mean:+.3f}",
            interval(estimate),
            str(estimate.deals),
            str(estimate.groups),
            str(run.forfeits[bot]),
        )
    return made


def _differences(run: Tournament) -> Table:
    names = run.tally.bots
    return leads((names[one], names[other], lead) for one, other, lead in _leads(run))


def leads(found: Iterable[tuple[str, str, Estimate]]) -> Table:
    """Return a table with the lead of each bot over another."""
    made = table("ahead", "of", "by points per deal", "95 %", texts={"ahead", "of"})
    for one, other, lead in found:
        made.add_row(one, other, f"{lead.mean:+.3f}", interval(lead))
    return made


def sprt_document(sprt: Sprt | None) -> dict[str, Any] | None:
    """Return the state of a test as JSON."""
    if sprt is None:
        return None
    return {"llr": sprt.llr(), "groups": sprt.groups, "verdict": sprt.verdict and sprt.verdict.value}


def sprt_line(sprt: Sprt, one: str, other: str, units: str) -> Text:
    """Return a line with the state of a test of `one` against `other`. `units` names what it counts."""
    low, high, *_ = sprt.tested
    under, over = sprt.tested.bounds
    verdicts = {
        None: "no verdict yet",
        SprtVerdict.H0: f"H0 is accepted: {one} is not {high:+g} ahead of {other}, rather {low:+g}",
        SprtVerdict.H1: f"H1 is accepted: {one} is ahead of {other}, by {high:+g} rather than {low:+g}",
    }[sprt.verdict]
    return Text(
        f"SPRT {low:+g} to {high:+g} points per deal: LLR {sprt.llr():+.2f} ({under:.2f} to {over:.2f}) after"
        f" {sprt.groups} {units}; {verdicts}",
        "bold",
    )


def interval(estimate: Estimate) -> str:
    """Return the interval as `-0.12 to +0.34`, or `""` if there is none."""
    return "" if estimate.low is None else f"{estimate.low:+.3f} to {estimate.high:+.3f}"
