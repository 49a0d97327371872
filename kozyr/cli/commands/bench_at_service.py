"""`kozyr bench --service`: measure a bot that plays at a service."""

from __future__ import annotations

import contextlib
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from engine.registry import GAMES
from kozyr.bench.report import report, text
from kozyr.bench.run import BenchFile
from kozyr.cli.author.profiles import Profiles
from kozyr.cli.author.service import address, check_version, full_name
from kozyr.cli.comparison.bench import ServiceBench, ServiceBenchRun
from kozyr.cli.comparison.run import ComparisonRun
from kozyr.cli.comparison.show import failure, report_notices
from kozyr.cli.errors import PATIENCE_S, REFUSED, CommandError, fail, one_sentence, status_after
from kozyr.cli.options import seats_of
from kozyr.cli.output import show
from kozyr.systems import interruptions
from kozyr.terminal import echo, show_progress
from kozyr_client import Client

_HOUSE: Final = re.compile(r"house/[a-z0-9-]+")


def bench_at_service(agent: str, out: Path | None, *, resume: bool, **given: Any) -> None:
    """Play the bench and print its result. Exit with 1 after a refusal, or if a bot does not show up or gets another
    version, and with 2 if there is no answer or the file can't be used."""
    with one_sentence() as where:
        at = address(
            Profiles(), url=given["url"], token=given["token"], name=given["profile"], bot=None, role="any"
        )
        where.append(at.url)
        bench = _bench(at.url, full_name(agent, at.profile.owner if at.profile else None), given)
        with Client(at.url, at.token, patience_s=PATIENCE_S, fail_fast=True) as client:
            check_version(client, at.url)
            header = bench.header(client)
            with contextlib.closing(BenchFile(out, header, resume=resume)) as file:
                run = ServiceBenchRun(bench, client, file, given["at_once"])
                number = _play(bench, run, lambda: report(header, file.lines))
    if number is not None:
        more = f"; continue with --out {out} --resume" if out is not None else ""
        echo(f"kozyr: stopped after {run.done} of {bench.total} groups{more}", err=True)
        sys.exit(status_after(number))


def _play(bench: ServiceBench, run: ServiceBenchRun, result: Callable[[], dict[str, Any]]) -> int | None:
    """Play, and print the result, also after an error. Return the number of the signal that ended the bench, if one
    did. Raise `KozyrError` or `BadRecordFile`."""
    reported: set[str] = set()

    def step(groups: ComparisonRun) -> None:
        show_progress(f"{run.done} of {bench.total} groups", over=run.done == bench.total)
        report_notices(groups, reported)

    with interruptions() as interrupted:
        try:
            run.play(step, lambda: bool(interrupted))
        finally:
            if run.done:
                show(found := result(), text(found))
    if run.comparison is not None and (sentence := failure(run.comparison)) is not None:
        fail(sentence, REFUSED)
    return interrupted[0] if interrupted else None


def _bench(url: str, agent: str, given: dict[str, Any]) -> ServiceBench:
    """Return what is to be played. Raise `CommandError`."""
    game = given["game"]
    if game not in GAMES:
        raise CommandError(f"--game {game}: expected one of {', '.join(GAMES)}")
    anchors = [name if "/" in name else f"house/{name}" for name in given["anchors"]]
    if unfit := [name for name in anchors if not _HOUSE.fullmatch(name)]:
        raise CommandError(
            f"--against {unfit[0]}: an anchor at a service is a house bot, such as house/greedy"
        )
    if len(set(anchors)) < len(anchors) or agent in anchors:
        raise CommandError("--against names a bot twice")
    if not given["groups"]:
        raise CommandError("--groups 0 leaves nothing to play: a service has no endgame set")
    return ServiceBench(
        url,
        agent,
        anchors,
        game,
        given["options"],
        seats_of(game, given["seats"]),
        given["groups"],
        given["clock"],
        given["assist"],
    )
