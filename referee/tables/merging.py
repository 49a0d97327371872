"""Merging tables in bounded steps.

The oldest `FANOUT` runs of a level become one of the next. A step writes one table of the merged run, of
`TABLE_BYTES`, and notes in the manifest how far the merge is. The last step replaces the runs. So a step takes a second
or two, however large the archive is. Lower levels come first, which keeps the number of runs small during a long merge.
"""

from __future__ import annotations

import logging
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import chain
from operator import itemgetter
from typing import Final

from referee.tables.files import TableFiles
from referee.tables.store import ArchiveAway, ManifestState, Merge, TableManifest, TableRun
from referee.tables.table import Entry, build

FANOUT: Final = 8
"""How many runs of a level are merged into one of the next."""
RETIRED_MS: Final = 3_600_000
"""How long a merged table stays, for processes that read it."""
_DELETED: Final = 256
"""How many tables one step deletes."""
_KEY: Final = itemgetter(0)

log = logging.getLogger(__name__)


def merge_step(manifest: TableManifest, files: TableFiles, now: int) -> bool:
    """Make the next step of a merge. Return whether one was due. `now` is in ms. Raise `ArchiveAway`."""
    state = manifest.read()
    level = _crowded(state.runs)
    if level is None:
        return False
    start, runs, merge = _inputs(state, level)
    rows = chain.from_iterable(_merged(files, runs, merge.rest.encode(), is_oldest=start == 0))
    built = next(build(rows), None)
    ended = built is None or next(rows, None) is None
    written = () if built is None else (files.create(built),)
    rest = "" if built is None else f"{built.last.decode()}\0"
    done = Merge(level, (*merge.parts, *written), rest)
    # The state may have changed, but these runs do not unless another process merges them.
    while _inputs(state, level)[1:] == (runs, merge):
        after = _replaced(state, done, now) if ended else _continued(state, done)
        if manifest.replace(state, after):
            return True
        state = manifest.read()
    for part in written:
        files.discard(part)
    return True


def delete_retired(manifest: TableManifest, files: TableFiles, now: int) -> None:
    """Delete tables that were merged `RETIRED_MS` ago, some at a time."""
    state = manifest.read()
    old = [each for each in state.retired if now - each[1] >= RETIRED_MS][:_DELETED]
    if not old:
        return
    # Before the manifest forgets them: after a kill in between, nothing else would delete them.
    used = {part.name for part in state.parts()}  # earlier releases used names of equal tables again
    try:
        for name, _ in old:
            if name not in used:
                files.delete(name)
    except ArchiveAway as error:
        log.warning("merged tables of the archive can't be deleted: %s", error)
        return
    manifest.replace(state, state._replace(retired=tuple(each for each in state.retired if each not in old)))


def _crowded(runs: Sequence[TableRun]) -> int | None:
    """Return the lowest level that has `FANOUT` runs."""
    levels = [run.level for run in runs]
    return min((level for level in set(levels) if levels.count(level) >= FANOUT), default=None)


def _inputs(state: ManifestState, level: int) -> tuple[int, tuple[TableRun, ...], Merge]:
    """Return where the oldest runs of a level are, those that are merged next, and how far the merge is."""
    start = next((at for at, run in enumerate(state.runs) if run.level == level), 0)
    runs = tuple(run for run in state.runs[start : start + FANOUT] if run.level == level)
    return start, runs, next((each for each in state.merges if each.level == level), Merge(level, (), ""))


def _continued(state: ManifestState, done: Merge) -> ManifestState:
    return state._replace(merges=(*_others(state, done), done))


def _replaced(state: ManifestState, done: Merge, now: int) -> ManifestState:
    start, old, _ = _inputs(state, done.level)
    merged = (TableRun(done.level + 1, done.parts),) if done.parts else ()
    return ManifestState(
        (*state.runs[:start], *merged, *state.runs[start + FANOUT :]),
        (*state.retired, *((part.name, now) for run in old for part in run.parts)),
        _others(state, done),
    )


def _others(state: ManifestState, done: Merge) -> tuple[Merge, ...]:
    return tuple(each for each in state.merges if each.level != done.level)


def _merged(
    files: TableFiles, runs: Sequence[TableRun], first: bytes, *, is_oldest: bool
) -> Iterator[list[Entry]]:
    """Yield the entries of these runs from this key on, in order, some at a time; of each key the newest. Without older
    runs, removed keys are left out."""
    streams = [files.chunks(run, first) for run in runs]
    heads = [next(stream, None) for stream in streams]
    while ends := [head[-1][0] for head in heads if head is not None]:
        # Up to the least of these keys, the heads have all entries of all runs.
        end, rows = min(ends), dict[bytes, bytes | None]()
        for age, head in enumerate(heads):
            if head is not None:
                cut = bisect_right(head, end, key=_KEY)
                rows.update(head[:cut])
                heads[age] = head[cut:] if cut < len(head) else next(streams[age], None)
        yield sorted(row for row in rows.items() if row[1] is not None) if is_oldest else sorted(rows.items())
