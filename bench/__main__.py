"""`make bench`: print the tables of docs/benchmarks.md, of all sections except the long ones or of those named."""

from __future__ import annotations

import platform
import sys
from datetime import UTC, datetime
from pathlib import Path

from bench.league import archive, house
from bench.rules import endings, engine
from bench.serving import cluster, durability, hosts, http, lateness, pages, polls, startup, streams


def main(wanted: list[str]) -> None:
    """Print the named sections, by default all except the long ones. A target that is missed says so in its cell."""
    if unknown := sorted(set(wanted) - set(SECTIONS)):
        sys.exit(f"there is no section {', '.join(unknown)}; there are {', '.join(SECTIONS)}")
    for name, (title, section) in SECTIONS.items():
        if name in wanted or (not wanted and name not in LONG):
            print(f"\n## {title}\n", flush=True)
            print("\n".join(section()), flush=True)


def _student() -> list[str]:
    from bench.serving import student  # needs requirements/peers.txt, which no other section does

    return student.report()


def _machine() -> list[str]:
    model = "unknown processor"
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            model = line.partition(":")[2].strip()
            break
    return [f"{datetime.now(UTC):%Y-%m-%d}, {model}, Python {platform.python_version()}, {platform.system()}"]


SECTIONS = {
    "machine": ("Machine", _machine),
    "engine": ("Rules", engine.report),
    "endings": ("Solved endings", endings.report),
    "http": ("Moves over HTTP", http.report),
    "student": ("Beside a student's server", _student),
    "hosts": ("Processor time of a move", hosts.report),
    "cluster": ("Redis Cluster", cluster.report),
    "polls": ("Waiting polls", polls.report),
    "streams": ("Streams", streams.report),
    "lateness": ("Deadlines", lateness.report),
    "archive": ("Archived records", archive.report),
    "pages": ("Pages", pages.report),
    "house": ("House matches", house.report),
    "startup": ("Start-up", startup.report),
    "durability": ("Flushes to disk", durability.report),
}
LONG = {"durability"}
"""The sections that take many minutes, so they run only if named."""

if __name__ == "__main__":
    main(sys.argv[1:])
