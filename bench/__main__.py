"""`make bench`: print the tables of docs/benchmarks.md, of all sections except the long ones or of those named."""

from __future__ import annotations

import platform
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from bench.league import archive, house, records, standings
from bench.rules import engine, local, luck, memory, review
from bench.serving import cluster, durability, hosts, http, lateness, pages, polls, startup, streams
from kozyr.serve.embedded import EmbeddedRedis


def main(wanted: list[str]) -> None:
    """Print the named sections, by default all except the long ones. A target that is missed says so in its cell."""
    if unknown := sorted(set(wanted) - set(SECTIONS)):
        sys.exit(f"there is no section {', '.join(unknown)}; there are {', '.join(SECTIONS)}")
    for name, (title, section) in SECTIONS.items():
        if name in wanted or (not wanted and name not in LONG):
            print(f"\n## {title}\n", flush=True)
            print("\n".join(section()), flush=True)


def _student() -> list[str]:
    from bench.peers import servers  # needs requirements/peers.txt, which no other section does

    return servers.beside_the_student()


def _records() -> list[str]:
    with tempfile.TemporaryDirectory(prefix="kb") as folder:
        server = EmbeddedRedis(Path(folder) / "redis", appendfsync="no").start()
        try:
            return records.report(server.url)
        finally:
            server.stop()


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
    "http": ("Moves over HTTP", http.report),
    "student": ("Beside a student's server", _student),
    "hosts": ("Processor time of a move", hosts.report),
    "cluster": ("Redis Cluster", cluster.report),
    "polls": ("Waiting polls", polls.report),
    "streams": ("Streams", streams.report),
    "pages": ("Pages", pages.report),
    "lateness": ("Deadlines", lateness.report),
    "records": ("Records", _records),
    "archive": ("Archived records", archive.report),
    "standings": ("Standings", standings.report),
    "house": ("House bots through RQ", house.report),
    "local": ("Local tournaments", local.report),
    "startup": ("Start-up", startup.report),
    "durability": ("Flushes to disk", durability.report),
    "memory": ("Decks known again", memory.report),
    "luck": ("Deals that tell two bots apart", luck.report),
    "review": ("Mistake reviews", lambda: list(review.report())),
}
LONG = {"durability", "luck", "memory", "review"}
"""The sections that take many minutes. Named sections only."""

if __name__ == "__main__":
    main(sys.argv[1:])
