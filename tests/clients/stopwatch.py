"""Time each starter from an empty folder to a first match: python -m tests.clients.stopwatch [LANGUAGE ...]

The commands are those that `kozyr new-bot` prints, run one after another at a live service of this machine. The
toolchain is there; its caches of packages and builds are new and empty. Each line has the seconds by the clock, and
those of the processors, which depend less on what else the machine does.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Final, NamedTuple

from kozyr.starters.writing import STARTERS
from tests.clients.languages import run
from tests.clients.test_starters import NAME, URL, environment
from tests.support.live import LiveService

CACHES: Final = {
    "PIP_CACHE_DIR": "{caches}/pip",
    "npm_config_cache": "{caches}/npm",
    "GOCACHE": "{caches}/go-build",
    "CARGO_HOME": "{caches}/cargo",
}
"""The environment variables that move the caches of each package manager."""


class TimedCommand(NamedTuple):
    """A command with its seconds by the clock and of the processors."""

    words: str
    clock_s: float
    processor_s: float


def processor_s() -> float:
    """Return the seconds of the processors that all ended child processes have used."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def first_match(service: LiveService, language: str, folder: Path) -> list[TimedCommand]:
    """Write a starter and play its first match. Return the commands in their order."""
    caches = {name: value.replace("{caches}", str(folder / "caches")) for name, value in CACHES.items()}
    variables = {**environment(folder / "config"), **caches}
    commands: list[TimedCommand] = []

    def shell(command: str, at: Path) -> str:
        began, used = time.monotonic(), processor_s()
        there = command.replace(URL, service.url).replace(NAME, f"timed-{language}")
        printed = run(["bash", "-euc", there], at, 600, **variables)
        words = command.partition("  #")[0]
        commands.append(TimedCommand(words, time.monotonic() - began, processor_s() - used))
        return printed

    printed = shell(f"kozyr new-bot {language} bot", folder)
    for command in printed.partition("cd bot\n")[2].strip().splitlines():
        shell(command, folder / "bot")
    return commands


def main() -> None:
    """Time the languages that the command line names, or all."""
    with tempfile.TemporaryDirectory(prefix="kozyr-stopwatch-") as temporary:
        home = Path(temporary)
        with LiveService(home / "service") as service:
            for language in STARTERS:
                if sys.argv[1:] and language not in sys.argv[1:]:
                    continue
                folder = home / language
                folder.mkdir()
                commands = first_match(service, language, folder)
                total = TimedCommand(
                    language,
                    sum(each.clock_s for each in commands),
                    sum(each.processor_s for each in commands),
                )
                for each in (total, *commands):
                    print(f"{each.clock_s:6.1f} {each.processor_s:6.1f}  {each.words}", flush=True)


if __name__ == "__main__":
    main()
