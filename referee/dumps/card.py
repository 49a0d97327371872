"""The dataset card of a dump, as Hugging Face reads it (`card.md`), and the checksums of its files."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources
from typing import Final

from records.instants import text_of
from referee.dumps.columns import DECISIONS, MATCHES, ParquetColumn
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


def card(dump: Dump) -> str:
    """Return the dataset card of a dump. `dump.files` are the files with data."""
    size = next((name for most, name in _SIZES if dump.decisions < most), "n>1B")
    # A month in which nobody moved has no decisions, and Hugging Face refuses a pattern that fits no file.
    kinds = {file.kind for file in dump.files}
    tables = [kind for kind in (FileKind.DECISIONS, FileKind.MATCHES) if kind in kinds]
    text = (resources.files("referee.dumps") / "card.md").read_text(encoding="utf-8")
    return text.format(
        month=dump.month,
        size=size,
        configs="\n".join(_config(kind, dump.month, default=kind == tables[0]) for kind in tables),
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


def _config(name: str, month: str, *, default: bool) -> str:
    named = f"- config_name: {name}\n" + "  default: true\n" * default
    return f'{named}  data_files:\n  - split: train\n    path: "{name}-{month}*.parquet"'


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
