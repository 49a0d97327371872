"""The dataset card of a dump, as Hugging Face reads it, and the checksums of its files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import pyarrow as pa

from records.instants import text_of
from referee.dumps.columns import DECISIONS, INSTANT, MATCHES, ParquetColumn
from referee.dumps.store import Dump, DumpFile, FileKind

_SIZES: Final = (
    (1_000, "n<1K"),
    (10_000, "1K<n<10K"),
    (100_000, "10K<n<100K"),
    (1_000_000, "100K<n<1M"),
    (10_000_000, "1M<n<10M"),
    (100_000_000, "10M<n<100M"),
    (1_000_000_000, "100M<n<1B"),
)
"""The size categories of Hugging Face, each with the number of rows below which it holds."""
_TYPES: Final = {
    pa.string(): "string",
    pa.int32(): "int32",
    pa.int64(): "int64",
    pa.bool_(): "bool",
    INSTANT: "timestamp[ms, tz=UTC]",
}
_TEXT: Final = """\
# Kozyr: card games of {month}

Matches of bots at Russian card games with hidden hands, played on one Kozyr service. This dump has the
{matches} matches that became public as those of {month}: {decisions} moves with what the player saw.
{late}Written {made}.

| file | contents |
| --- | --- |
{files}

Everything is published under [CC0 1.0](https://creativecommons.org/publicdomain/zero/1.0/): use it for anything,
without asking and without naming anybody.

## Load it

```python
import pandas as pd

matches = pd.concat(pd.read_parquet(path) for path in {match_files})
```

```python
from datasets import load_dataset

decisions = load_dataset("parquet", data_files="decisions-{month}*.parquet", split="train")
```

```sql
-- DuckDB
SELECT bot, avg(score) FROM 'matches-{month}*.parquet' WHERE rated AND NOT void GROUP BY bot;
```

Check the files with `sha256sum -c SHA256SUMS`.

## matches

A row for each match and seat. Rows of one match have equal values in all columns before `seat`.

{match_columns}

## decisions

A row for each move of a seat, in the order of play. A free move answers no turn: its `turn` is null and its `ms` 0.

{decision_columns}

## endings

The endgame sets of Kozyr: positions in which nothing is hidden from the seat to move, with the exact value of each
legal move. They don't come from the matches of the month. A published set never changes; its name and version begin
each `id`. `deck` and `moves` make the position, and `values` are by legal move.
`kozyr endings durak --from endings-{month}.ndjson --json` prints what the seat saw, and `--verify` solves each position
again.

## How observations were made

- The log of each match was replayed with the rules that the service plays by. Before each move the rules computed
  what its seat sees, by the code that also builds the turns of the API. So `observation` is what the bot was sent
  with its turn: its own hand, never the hand of another seat, and no card of the deck.
- A match has two or more seats that see different things. To keep hidden cards hidden, train on rows of one seat at a
  time, or on single rows.
- Moves with `made_by` = `timeout` or `forfeit` were made by the referee, not by the bot. To imitate bots,
  leave them out.
- A match that continues another one has only its own moves, not the repeated ones.
- Matches whose rules have changed since may lack decisions. Their records and rows of `matches` are complete.

## Known biases

- Bots chose to play here. A few of them, and house bots, play most matches. Strength, style and pace are theirs.
- Bots of one owner may be variants of one program, and a bot's `version` changes over time.
- Ladders pair bots of similar strength in some formats; casual matches are chosen by their bots.
- Matches of one `duplicate_group` have the same decks, so they are not independent. Split by it or, where it is
  null, by `match`, never by row.
- Rows of one match, and of one deal, depend on one another in the same way.
- House bots answer at once: their `ms` says nothing. The time of other bots includes the network.
- `note` is what a bot says about its move. Nobody checked it.
- Where `person` is true, a person played on the web site.
- `void` is as it was when the dump was written. The record on the service has later annotations.

## Verify it

Each record has its place in one hash chain of the service: `number`, `previous` and `link` in its `proof`. `link` is
SHA-256(`previous` ‖ digest), and `digest` is the SHA-256 of the record without `proof`, `annotations` and `bot` of each
seat, as canonical JSON (RFC 8785). Records of a dump have no signature, because the service signs records when they
are read.

1. `zstd -dc records-{month}*.ndjson.zst | kozyr verify -` checks decks, moves, clocks, scores and links of all records.
2. Fetch `/v1/matches/<id>/record` of the last record from the service. It has the same `link`, with a signature that
   covers all records before it.
3. `sha256` and `link` of `matches` lead to the same places.
"""


def card(dump: Dump) -> str:
    """Return the dataset card of a dump. `dump.files` are the files with data."""
    return _header(dump) + _TEXT.format(
        month=dump.month,
        matches=dump.matches,
        decisions=dump.decisions,
        late=_late(dump.late),
        made=text_of(dump.made),
        files="\n".join(f"| `{file.name}` | {_contents(file)} |" for file in dump.files),
        match_files=[file.name for file in dump.files if file.kind == FileKind.MATCHES],
        match_columns=_table(MATCHES),
        decision_columns=_table(DECISIONS),
    )


def sums(files: Sequence[DumpFile]) -> str:
    """Return the checksums of files as `sha256sum` writes them."""
    return "".join(f"{file.sha256}  {file.name}\n" for file in files)


def _header(dump: Dump) -> str:
    size = next((name for most, name in _SIZES if dump.decisions < most), "n>1B")
    # A month in which nobody moved has no decisions, and Hugging Face refuses a pattern that fits no file.
    kinds = {FileKind.DECISIONS: DECISIONS, FileKind.MATCHES: MATCHES}
    tables = {
        kind: columns for kind, columns in kinds.items() if any(file.kind == kind for file in dump.files)
    }
    lines = [
        "---",
        "license: cc0-1.0",
        f"pretty_name: Kozyr {dump.month}",
        "task_categories:",
        "- reinforcement-learning",
        "- tabular-classification",
        "tags:",
        "- card-games",
        "- imperfect-information",
        "- imitation-learning",
        "- durak",
        "size_categories:",
        f"- {size}",
        "configs:",
        *(line for kind in tables for line in _config(kind, dump.month, default=kind == next(iter(tables)))),
        "dataset_info:",
        *(line for kind, columns in tables.items() for line in _info(dump, kind, columns)),
        "---",
    ]
    return "\n".join(lines) + "\n\n"


def _config(name: str, month: str, *, default: bool) -> Iterator[str]:
    yield f"- config_name: {name}"
    if default:
        yield "  default: true"
    yield from ("  data_files:", "  - split: train", f'    path: "{name}-{month}*.parquet"')


def _info(dump: Dump, kind: FileKind, columns: Sequence[ParquetColumn]) -> Iterator[str]:
    own = [file for file in dump.files if file.kind == kind]
    yield from (f"- config_name: {kind}", "  features:")
    for column in columns:
        yield f"  - name: {column.name}"
        if pa.types.is_list(column.type):
            yield f"    sequence: {_TYPES[column.type.value_type]}"
        else:
            yield f"    dtype: {_TYPES[column.type]}"
    yield from ("  splits:", "  - name: train", f"    num_bytes: {sum(file.size for file in own)}")
    yield f"    num_examples: {sum(file.rows or 0 for file in own)}"


def _table(columns: Sequence[ParquetColumn]) -> str:
    rows = [f"| `{column.name}` | {column.type} | {column.meaning} |" for column in columns]
    return "\n".join(["| column | type | meaning |", "| --- | --- | --- |", *rows])


def _contents(file: DumpFile) -> str:
    what = {
        FileKind.RECORDS: "whole records as JSON, one a line",
        FileKind.MATCHES: "rows of `matches`",
        FileKind.DECISIONS: "rows of `decisions`",
        FileKind.ENDINGS: "positions with the exact value of each move as JSON, one a line",
    }[FileKind(file.kind)]
    return f"{file.rows} {what}"


def _late(late: int) -> str:
    if not late:
        return ""
    return (
        f"{late} of them ended in an earlier month, whose dump had been written before they became public.\n"
    )
