"""The result of a bench, computed from its lines alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from records.match.move_requests import USAGE
from records.results.group_statistics import Estimate, GroupStatistics, per_deal
from records.results.points import Tally
from records.results.record_fields import dealt, group_of

Json = dict[str, Any]
COUNTS: Final = ("asked", "mended", "refused", "failed")


def report(header: Mapping[str, Any], lines: Sequence[Mapping[str, Any]]) -> Json:
    """Return the result as JSON. Groups that a service still plays are not counted."""
    played = [line for line in lines if "critical" in line]
    answers: Counter[str] = Counter()
    for line in lines:
        answers.update(line.get("answers", {}))
    return {
        **header,
        "anchors": [
            _against(header["agent"], anchor, version, played) for anchor, version in header["anchors"]
        ],
        "endings": _regret([[line["regret"]] for line in lines if "ending" in line]),
        "play": _regret([[regret for _, _, regret in line["critical"]] for line in played]),
        "answers": _answers(answers),
    }


def _against(agent: str, anchor: str, version: str, played: Iterable[Mapping[str, Any]]) -> Json:
    """Return the agent's points against an anchor."""
    tally, forfeits, matches = Tally(), 0, 0
    for line in played:
        if line["anchor"] == anchor:
            for group, bot, points, deals in _points(line):
                tally.count(group, bot, points, deals)
            seats = [seats_of_agent(record, agent) for record in _records(line)]
            matches += sum(map(bool, seats))
            forfeits += sum(
                bool(own & set(record["forfeits"])) for own, record in zip(seats, _records(line), strict=True)
            )
    return {
        "bot": anchor,
        "version": version,
        "matches": matches,
        "forfeits": forfeits,
        "points": tally.of(agent).to_json() if matches else None,
        "lead": tally.difference(agent, anchor).to_json() if matches else None,
    }


def _records(line: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """Return the records of a match, or of a group at a service."""
    return line["matches"] if "group" in line else [line["match"]]


def seats_of_agent(record: Mapping[str, Any], agent: str) -> set[int]:
    """Return the seats on which the bot with this name sits."""
    return {seat for seat, sitting in enumerate(record["seats"]) if sitting["bot"] == agent}


def _points(line: Mapping[str, Any]) -> Iterator[tuple[str, str, int, int]]:
    """Yield group, bot, points and deals of each seat that counts."""
    if "group" in line:
        yield from ((line["group"], *counted) for counted in line["points"])
        return
    record = line["match"]
    for sitting, points in zip(record["seats"], record["scores"], strict=True):
        yield group_of(record), sitting["bot"], points, dealt(record)


def _regret(groups: Iterable[Sequence[int]]) -> Json | None:
    """Return the regret per critical decision, with an interval over groups of them; `None` without any."""
    groups = [each for each in groups if each]
    found: Estimate | None = per_deal(GroupStatistics.of((len(each), sum(each)) for each in groups))
    if found is None:
        return None
    decisions = sum(map(len, groups))
    wrong = sum(regret > 0 for each in groups for regret in each)
    return {
        "decisions": decisions,
        "wrong": wrong,
        "regret": found.mean,
        "low": found.low,
        "high": found.high,
    }


def _answers(counts: Mapping[str, int]) -> Json:
    found: Json = {name: counts.get(name, 0) for name in COUNTS}
    asked = found["asked"]
    found["mendings"] = {
        name.partition(":")[2]: count for name, count in sorted(counts.items()) if name.startswith("mended:")
    }
    found["ms"] = counts.get("ms", 0)
    found["mean_ms"] = round(found["ms"] / asked, 1) if asked else None
    found |= {name: counts.get(name) for name in USAGE}
    return found


def text(result: Mapping[str, Any]) -> list[str]:
    """Return the result as lines for people."""
    where = f"at {result['service']}" if "service" in result else f"seed {result['seed']}"
    lines = [f"{result['agent']} in {result['game']} for {result['seats']}, {where}"]
    for each in result["anchors"]:
        lead = each["lead"]
        if lead is not None:
            forfeits = f", {each['forfeits']} forfeited" if each["forfeits"] else ""
            points = f"{lead['mean']:+.3f} points per deal{_interval(lead)}"
            lines.append(f"ahead of {each['bot']}: {points}, {each['matches']} matches{forfeits}")
    for name, where in (("endings", f"in {result['set']}"), ("play", "in its matches")):
        if (found := result[name]) is not None:
            share = 100 * found["wrong"] / found["decisions"]
            lines.append(
                f"regret per critical decision {where}: {found['regret']:.3f}"
                f"{_interval({**found, 'mean': found['regret']}, '.3f')},"
                f" {found['wrong']} of {found['decisions']} wrong ({share:.0f} %)"
            )
    return [*lines, *_answer_lines(result["answers"])]


def _answer_lines(answers: Mapping[str, Any]) -> list[str]:
    asked = answers["asked"] or 1
    rates = ", ".join(
        f"{answers[name]} {name} ({100 * answers[name] / asked:.1f} %)" for name in COUNTS if name != "asked"
    )
    lines = [f"answers: {answers['asked']}, {rates}"]
    if answers["mendings"]:
        lines.append("mended: " + ", ".join(f"{name} {count}" for name, count in answers["mendings"].items()))
    if answers["mean_ms"] is not None:
        lines.append(
            f"time: {answers['mean_ms'] / 1000:.3f} s per answer, {answers['ms'] / 1000:.0f} s in all"
        )
    told = {name: answers[name] for name in USAGE if answers[name] is not None}
    if told:
        lines.append("told by the agent: " + ", ".join(f"{name} {count}" for name, count in told.items()))
    return lines


def _interval(found: Mapping[str, Any], form: str = "+.3f") -> str:
    return "" if found["low"] is None else f" ({found['low']:{form}} to {found['high']:{form}})"
