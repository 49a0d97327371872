"""A bench of a bot at a service: a comparison with each anchor, whose records tell regret and how the bot answered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from kozyr.bench.plan import FORMAT
from kozyr.bench.report import seats_of_agent
from kozyr.bench.run import BenchFile
from kozyr.cli.comparison.result import ComparedGroup, Comparison, ComparisonEnding, outcome_of
from kozyr.cli.comparison.run import ComparisonRun, GroupRequest
from kozyr_client import Client
from kozyr_client.http import api_path
from records.match.log import BY_PLAYER, BY_TIMEOUT
from records.match.move_requests import USAGE
from records.match.played import entries_of_record
from records.results.record_fields import dealt
from records.reviews.exact import exact_moves

Json = dict[str, Any]

_LATE: Final = frozenset({"stale_turn", "not_your_turn"})
"""Refusals of moves for another turn; all others are for the text."""


class ServiceBench(NamedTuple):
    """What is played: groups of the agent and one anchor at a time. The service draws the decks."""

    url: str
    agent: str
    """`owner/bot`."""
    anchors: Sequence[str]
    """House bots, `house/bot`."""
    game: str
    options: Mapping[str, Any]
    seats: int
    groups: int
    """How many groups are played against each anchor."""
    clock: Mapping[str, Any]
    assist: str | None

    @property
    def total(self) -> int:
        """How many groups there are."""
        return self.groups * len(self.anchors)

    def header(self, client: Client) -> Json:
        """Return what a file of results begins with. Raise `KozyrError`."""
        versions = {
            name: client.request("GET", api_path("bots", *name.split("/")))["version"]
            for name in (self.agent, *self.anchors)
        }
        return {
            "bench": FORMAT,
            "service": self.url,
            "agent": self.agent,
            "version": versions[self.agent],
            "game": self.game,
            "options": dict(self.options),
            "seats": self.seats,
            "anchors": [[name, versions[name]] for name in self.anchors],
            "groups": self.groups,
            "clock": dict(self.clock),
            "assist": self.assist,
            "set": None,
        }

    def request(self, anchor: str) -> GroupRequest:
        """Return what the service is asked for. At a table for two both play each hand; at a larger one the agent and
        the anchor play the same hand against anchors, because a service seats no bot twice among those it compares."""
        against = () if self.seats == 2 else (anchor,) * (self.seats - 1)
        return GroupRequest(self.game, self.options, self.clock, (self.agent, anchor), against, self.assist)


class ServiceBenchRun:
    """Plays what the file of a bench lacks. The file names each group as soon as it has started, so that a bench that
    was cut off finds the groups that went on without it."""

    def __init__(self, bench: ServiceBench, client: Client, file: BenchFile, at_once: int) -> None:
        self._bench, self._client, self._file, self._at_once = bench, client, file, at_once
        self.comparison: Comparison | None = None
        """The comparison with the last anchor that was begun."""

    @property
    def done(self) -> int:
        """How many groups have a result."""
        return sum("points" in line for line in self._file.lines)

    def play(self, step: Callable[[ComparisonRun], object], stop: Callable[[], bool]) -> None:
        """Play until all groups are over, `stop` returns true, or a comparison fails. Call `step` after each look at
        the groups. Raise `KozyrError`, or `OSError` if the file can't be written to."""
        for anchor in self._bench.anchors:
            self.comparison = comparison = Comparison((self._bench.agent, anchor), self._bench.groups)
            run = ComparisonRun(self._client, self._bench.request(anchor), comparison, self._at_once)
            self._find_groups(anchor, run)

            def look(anchor: str = anchor, run: ComparisonRun = run) -> None:
                self._keep_started(anchor, run)
                self._keep_counted(anchor, run)
                step(run)

            try:
                run.play(look, stop)
            finally:
                self._keep_started(anchor, run)
            self._keep_counted(anchor, run)
            if comparison.ending is not ComparisonEnding.COMPLETE:
                return

    def _find_groups(self, anchor: str, run: ComparisonRun) -> None:
        """Count the groups with a result, and let the run wait for those that have started without one."""
        lines = [line for line in self._file.lines if line.get("anchor") == anchor]
        for line in lines:
            if "points" in line:
                run.comparison.add(run.started, _outcome(line))
                run.started += 1
        over = {line["group"] for line in lines if "points" in line}
        for line in lines:
            group = line["group"]
            if group not in over and self._group(group)["status"] in ("running", "over"):
                run.running[group] = run.started
                run.started += 1

    def _keep_started(self, anchor: str, run: ComparisonRun) -> None:
        started = {line["group"] for line in self._file.lines}
        for group in run.running:
            if group not in started:
                self._file.add({"group": group, "anchor": anchor})

    def _keep_counted(self, anchor: str, run: ComparisonRun) -> None:
        kept = {line["group"] for line in self._file.lines if "points" in line}
        for found in run.comparison.groups:
            if found.id not in kept:
                self._file.add({"group": found.id, "anchor": anchor, **self._result(anchor, found)})

    def _result(self, anchor: str, found: ComparedGroup) -> Json:
        """Return the result of a group, with its records. Raise `KozyrError`."""
        agent, answers = self._bench.agent, Counter[str]()
        records: list[Json] = [self._client.record(match) for match in self._group(found.id)["matches"]]
        critical: list[tuple[int, int, int]] = []
        for record in records:
            for seat in seats_of_agent(record, agent):
                answers.update(_answers(record, seat, self._facts(record["id"], seat)))
                exact = exact_moves(record, {seat})
                critical += [(move.deal, move.move, move.regret) for move in exact if move.critical]
        return {
            "bots": [bot._asdict() for bot in found.bots],
            "points": list(compared_points(records, agent, anchor)),
            "matches": records,
            "critical": critical,
            "answers": dict(sorted(answers.items())),
        }

    def _group(self, group: str) -> Json:
        found: Json = self._client.request("GET", api_path("groups", group))
        return found

    def _facts(self, match: str, seat: int) -> Json:
        found: Json = self._client.request("GET", api_path("matches", match, "facts"))
        return next((each for each in found["seats"] if each["seat"] == seat), {})


def compared_points(
    records: Sequence[Mapping[str, Any]], agent: str, anchor: str
) -> Iterator[tuple[str, int, int]]:
    """Yield bot, points and deals of each seat of a group in which the agent sits at some table."""
    compared = {seat for record in records for seat in seats_of_agent(record, agent)}
    for record in records:
        for seat in compared:
            name = record["seats"][seat]["bot"]
            if name in (agent, anchor):
                yield name, record["scores"][seat], dealt(record)


def _outcome(line: Mapping[str, Any]) -> ComparedGroup:
    """Return the outcome of a group from its line."""
    names = tuple(bot["bot"] for bot in line["bots"])
    found = outcome_of({"id": line["group"], "status": "over", "result": line}, (names[0], names[1]))
    assert isinstance(found, ComparedGroup)
    return found


def _answers(record: Mapping[str, Any], seat: int, facts: Mapping[str, Any]) -> Counter[str]:
    """Return the counts of `kozyr.bench.report` from the record of a match and the facts about a seat's moves."""
    asked = [each for each in entries_of_record(record) if each.answers and each.seat == seat]
    moves = [each for each in asked if each.by == BY_PLAYER]
    late = [each for each in asked if each.by == BY_TIMEOUT]
    counts = Counter(asked=len(moves) + len(late), failed=len(late), ms=sum(each.ms for each in moves))
    counts["refused"] = sum(n for code, n in facts.get("refused", {}).items() if code not in _LATE)
    counts["mended"] = sum(bool(move["mended"]) for move in facts.get("moves", ()))
    counts.update({f"mended:{name}": count for name, count in facts.get("mended", {}).items()})
    if facts.get("told"):
        counts.update({name: facts[name] for name in USAGE})
    return +counts
