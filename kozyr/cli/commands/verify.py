"""`kozyr verify`: whether records are what they should be, by themselves and by their proofs."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import click

if TYPE_CHECKING:
    from rich.console import Console

    from kozyr.records.verify import Checked, Source

WRONG: Final = 1
"""The exit status when anything is wrong with a record."""
UNREADABLE: Final = 2
"""The exit status when something could not be read, and nothing is wrong with the rest."""


@click.command()
@click.argument("sources", nargs=-1, required=True, metavar="FILE|URL...")
@click.option(
    "--key",
    "given",
    multiple=True,
    metavar="KEY",
    help="A public key that may have signed: 64 hexadecimal digits, or a file with them or with PEM; repeat it.  "
    "[default: those that the service of a URL serves]",
)
@click.option(
    "--whole", is_flag=True, help="Each source is to have all records there are, from number 1 without a gap."
)
def verify(sources: tuple[str, ...], given: tuple[str, ...], whole: bool) -> None:
    """Check records: form, decks, legality, clocks and scores, and the proofs beside them.

    A FILE has one record, or one a line (`-` is standard input); a URL is that of a record, or of /v1/records with any
    filters, which is read to its end; a service that is busy (429, 503) is waited for, for five minutes at most. The
    status is 1 if anything is wrong, 2 if something could not be read. docs/shuffles.md tells what is checked.
    """
    from rich.console import Console

    from kozyr.records.verify import Source, Unreadable, public_key

    tally, console = _Tally(), Console(highlight=False, soft_wrap=True)
    try:
        keys = [public_key(each) for each in given]
    except Unreadable as why:
        click.echo(f"kozyr: {why}", err=True)
        sys.exit(UNREADABLE)
    for name in sources:
        source = Source(name, keys, lambda text: click.echo(f"kozyr: {text}", err=True))
        try:
            for checked in source.checked():
                tally.add(checked)
                _show(console, checked)
        except Unreadable as why:
            tally.unreadable += 1
            click.echo(f"kozyr: {why}", err=True)
        _show_gaps(console, source, tally, whole)
    tally.show(console)
    sys.exit(WRONG if tally.wrong or tally.incomplete else UNREADABLE if tally.unreadable else 0)


@dataclass
class _Tally:
    """What came of all records."""

    records: int = 0
    wrong: int = 0
    incomplete: int = 0
    """How many sources have gaps that may not be there."""
    signed: int = 0
    unsigned: dict[str, int] = field(default_factory=dict)
    """How many signatures were not checked, by why."""
    unreadable: int = 0

    def add(self, checked: Checked) -> None:
        self.records += 1
        self.wrong += bool(checked.findings)
        self.signed += checked.signed
        if not checked.signed:
            why = "for want of a key: name one with --key" if checked.proven else "since there is no proof"
            self.unsigned[why] = self.unsigned.get(why, 0) + 1

    def show(self, console: Console) -> None:
        right = self.records - self.wrong
        console.print(f"{_so_many(self.records, 'record')}: {right} as they should be, ", end="")
        console.print(f"{self.wrong} not", style="bold red" if self.wrong else "green")
        said = [f"{self.signed} checked"] if self.signed else []
        said += [f"{count} NOT checked {why}" for why, count in self.unsigned.items()]
        if said:
            console.print("signatures: " + "; ".join(said), style="yellow" if self.unsigned else None)


def _show(console: Console, checked: Checked) -> None:
    if not checked.findings:
        return
    console.print(f"{checked.where}: match {checked.match or '?'}", style="bold", markup=False)
    for found in checked.findings:
        console.print(f"  {found.where or 'the record'}: ", style="red", end="", markup=False)
        console.print(f"{found.wrong}; right would be {found.right}", markup=False)


def _show_gaps(console: Console, source: Source, tally: _Tally, whole: bool) -> None:
    gaps = source.neighbours.gaps(source.told if whole else 0)
    if not gaps:
        return
    shown = ", ".join(str(first) if first == last else f"{first} to {last}" for first, last in gaps[:10])
    more = f" and {len(gaps) - 10} more gaps" if len(gaps) > 10 else ""
    what = f"{source.name}: without the records of the chain's numbers {shown}{more}"
    tally.incomplete += whole
    console.print(what, style="red" if whole else "yellow", markup=False)


def _so_many(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
