"""Ladders as tables and lines for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from kozyr.cli.author.columns import as_text
from kozyr.console import table
from kozyr.terminal import harmless
from records.match.assist import LIST

if TYPE_CHECKING:
    from kozyr.cli.ladders.desk import LadderView

Json = dict[str, Any]

_TEXTS: Final = frozenset(
    {
        *("bot", "real name", "began", "ended", "winners"),
        *("points/deal", "points/deal, 95 %", "rating, 95 %"),
    }
)
"""Columns of texts, and of numbers with their intervals."""
_SCORES: Final = ("score", "buchholz", "head_to_head", "byes", "rounds_missed")
"""What decides places in some formats, and the rounds without an opponent."""
_MOST_MEETINGS: Final = 1000
"""How many meetings the service lists for a dry run."""
_WAITS: Final = {
    "instant": "its time",
    "round": "the end of the one under way",
    "entries": "entries that can be seated together",
    "hand": "somebody to start it",
    "state": "a ladder that is open or running",
    "service": "the service, which is paused or draining",
}
"""Descriptions of what the next round waits for."""


def standing(found: LadderView) -> Iterator[RenderableType]:
    """Yield a ladder, its running or last rounds, the schedule, and its first bots."""
    yield from about(found.ladder)
    for line in progress(found):
        yield Text(line)
    yield Text(following(found.schedule))
    if found.standings:
        yield standings(found.standings)
    if found.more:
        yield Text("and more (--top)", "dim")


def about(ladder: Json) -> Iterator[RenderableType]:
    """Yield the name of a ladder, its settings in one line, and its description."""
    yield Text(
        f"{harmless(ladder['name'])}  {ladder['id']}  {ladder['state']}, season {ladder['season']}", "bold"
    )
    parts = [f"{ladder['game']} for {ladder['seats']}", f"{ladder['format']}", f"decks {ladder['decks']}"]
    parts += [f"{name} {harmless(value)}" for name, value in ladder["parameters"].items()]
    parts += ["rated" if ladder["rated"] else "not rated"]
    parts += [] if ladder["assist"] == LIST else [f"assist {harmless(ladder['assist'])}"]
    parts += ["rounds by hand" if ladder["schedule"] is None else f"rounds {_when(ladder['schedule'])}"]
    if ladder["season_schedule"] is not None:
        parts += [f"seasons {_when(ladder['season_schedule'])}"]
    yield Text(", ".join(parts))
    if ladder["freeze"]:
        yield Text(f"results are withheld from {harmless(ladder['freeze'])} on")
    for line in ladder["description"].splitlines():
        yield Text(harmless(line))


def progress(found: LadderView) -> Iterator[str]:
    """Yield the progress of the running rounds or the last one, one line each."""
    if not found.rounds:
        yield "no round so far"
    for each in found.rounds:
        lost = each["aborted"] + each["dropped"]
        text = f"round {each['number']}, {each['state']}: {each['finished']} of {each['planned']} matches finished"
        text += f", {lost} not played" if lost else ""
        yield text + (f"; {harmless(each['reason'])}" if each["reason"] else "")


def following(schedule: Json) -> str:
    """Return what the next round waits for, and when rounds and seasons come."""
    text = f"the next round waits for {_WAITS.get(schedule['waits_for'], schedule['waits_for'])}"
    if schedule["next_rounds"]:
        text += "; next rounds: " + ", ".join(map(harmless, schedule["next_rounds"][:3]))
    if schedule["next_seasons"]:
        text += f"; the season ends {harmless(schedule['next_seasons'][0])}"
    return text


def standings(found: Sequence[Json]) -> Table:
    """Return the standings, best first. Each estimate has its interval."""
    # A score by points per deal is shown with its interval.
    own = [
        name for name in _SCORES if any(each[name] not in (None, each["points_per_deal"]) for each in found)
    ]
    scores = (name.replace("_", " ") for name in own)
    counts = ("deals", "groups", "wins", "forfeits")
    made = table("place", "bot", *scores, "points/deal, 95 %", "rating, 95 %", *counts, texts=_TEXTS)
    for each in found:
        rating = each["rating"]
        made.add_row(
            "–" if each["place"] is None else str(each["place"]),
            Text(harmless(each["bot"]), "dim" if each["withdrawn"] else ""),
            *("–" if each[name] is None else f"{each[name]:g}" for name in own),
            _estimate(each["points_per_deal"], each["points_low"], each["points_high"], "+.3f"),
            "–" if rating is None else _rating(rating),
            *(str(each[name]) for name in counts),
        )
    return made


def named(found: Sequence[Json]) -> Table:
    """Return the standings with real names, best first."""
    made = table("place", "bot", "real name", "points/deal", "matches", texts=_TEXTS)
    for each in found:
        points = each["points_per_deal"]
        made.add_row(
            "–" if each["place"] is None else str(each["place"]),
            harmless(each["bot"]),
            harmless(each["real_name"]),
            "–" if points is None else f"{points:+.3f}",
            str(each["matches"]),
        )
    return made


def seasons(found: Sequence[Json]) -> Table:
    """Return a table of seasons, newest first."""
    made = table("number", "began", "ended", "winners", texts=_TEXTS)
    for each in found:
        winners = ", ".join(harmless(winner["bot"]) for winner in each["winners"])
        ended = each["ended"] or "the present one"
        made.add_row(str(each["number"]), harmless(each["started"]), harmless(ended), Text(winners or "–"))
    return made


def rules(found: Sequence[Json]) -> Iterator[str]:
    """Yield a line for each invitation and ban."""
    for each in found:
        why = f": {harmless(each['reason'])}" if each["reason"] else ""
        yield f"{harmless(each['name'])}  {harmless(each['rule'])}{why}"


def audit(entries: Sequence[Json]) -> Iterator[str]:
    """Yield a line for each entry of an audit log."""
    for each in entries:
        why = f": {harmless(each['reason'])}" if each["reason"] else ""
        facts = " → ".join(_facts(each[when]) for when in ("before", "after") if each[when])
        outcome = "" if each["outcome"] == "done" else f" ({harmless(each['outcome'] or 'interrupted')})"
        what = f"{harmless(each['action'])} {harmless(each['target'])}{outcome}{why}"
        yield f"{harmless(each['at'])}  {harmless(each['owner'])}  {what}" + (f"  [{facts}]" if facts else "")


def _facts(found: Json) -> str:
    return "; ".join(f"{name} {as_text(value)}" for name, value in found.items())


def bracket(found: Json) -> Iterator[str]:
    """Yield the meetings of a knock-out, stage by stage."""
    for number, stage in enumerate(found["stages"], 1):
        yield f"stage {number}"
        for meeting in stage["meetings"]:
            state = "decided" if meeting["decided"] else f"{meeting['groups']} played"
            bots = meeting["bots"]
            names = ["names are hidden until it is decided"] if bots is None else [_met(bot) for bot in bots]
            yield f"  {'  –  '.join(names)}  ({state})"
        for bot in stage["byes"]:
            yield f"  {harmless(bot['bot'])}  (bye)"
    if found["winner"] is not None:
        yield f"winner: {harmless(found['winner']['bot'])}"
    elif _is_over(found["stages"]):
        yield "no winner: the last bot is out of the places"
    else:
        yield "no winner yet"


def _is_over(stages: Sequence[Json]) -> bool:
    """Return whether one bot is left."""
    if not stages or stages[-1]["byes"] or len(stages[-1]["meetings"]) != 1:
        return False
    (final,) = stages[-1]["meetings"]
    return [bot["advances"] for bot in final["bots"] or ()].count(True) == 1


def _met(bot: Json) -> str:
    return f"{harmless(bot['bot'])} {bot['points']:+d}{' ✓' if bot['advances'] else ''}"


def result(version: Json) -> str:
    """Return a version of a season's result in a line."""
    why = version["action"]
    if version["by"]:
        why += f" by {harmless(version['by'])}"
    if version["reason"]:
        why += f": {harmless(version['reason'])}"
    winners = ", ".join(harmless(each["bot"]) for each in version["winners"]) or "nobody yet"
    out = "".join(f"; out: {harmless(each['bot'])}" for each in version["places"] if each["out"])
    return f"{version['version']}  {version['at']}  {why}  won by {winners}{out}"


def pairings(found: Json) -> Iterator[str]:
    """Yield the pairings of a dry run: a line for each set of bots that meet, and how often."""
    yield f"round {found['number']} would have {found['planned']} matches; nothing was started"
    if found["meetings"] is None:
        yield "only the ladder's organisers see the pairing, because names are hidden at its tables"
    meetings = found["meetings"] or ()
    for bots, times in Counter(tuple(sorted(meeting)) for meeting in meetings).items():
        yield "  " + "  –  ".join(map(harmless, bots)) + (f"  {times} times" if times > 1 else "")
    if len(meetings) == _MOST_MEETINGS:
        yield f"  and more: the service lists the first {_MOST_MEETINGS}"
    if found["sitting_out"]:
        yield "sitting out: " + ", ".join(harmless(bot) for bot in found["sitting_out"])
    if found["offline"]:
        yield "not online now: " + ", ".join(harmless(bot) for bot in found["offline"])
    if found["excluded"]:
        yield f"excluded because two bots have the same owner: {found['excluded']}"


def _estimate(mean: float | None, low: float | None, high: float | None, form: str) -> str:
    """Return a number with its interval, if it has one."""
    if mean is None:
        return "–"
    return f"{mean:{form}}" + ("" if low is None or high is None else f"  {low:{form}} to {high:{form}}")


def _rating(rating: Json) -> str:
    if rating["anchor"]:
        return f"{rating['rating']:.1f}  anchor"
    pool = "" if rating["pool"] is None else "  own pool"
    return _estimate(rating["rating"], rating["low"], rating["high"], ".1f") + pool


def _when(schedule: Json | str) -> str:
    return (
        harmless(schedule)
        if isinstance(schedule, str)
        else " ".join(harmless(part) for part in schedule.values() if part)
    )
