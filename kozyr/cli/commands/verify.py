"""`kozyr verify`: check records and their proofs."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import click

from kozyr.cli.errors import AWAY, REFUSED, show_warnings
from kozyr.cli.output import as_json, show, wants_json
from kozyr.terminal import echo

if TYPE_CHECKING:
    from kozyr.console import Console
    from kozyr.reading.verify import Checked, Source


@click.command()
@click.argument("sources", nargs=-1, required=True, metavar="MATCH|FILE|URL...")
@click.option(
    "--key",
    "given",
    multiple=True,
    metavar="KEY",
    help="Public key to accept: 64 hexadecimal digits, or a file with these or in PEM format. May be repeated.  "
    "[default: the keys that the service at a URL publishes]",
)
@click.option(
    "--whole", is_flag=True, help="Require each source to have every record from number 1 without a gap."
)
@as_json
def verify(sources: tuple[str, ...], given: tuple[str, ...], whole: bool) -> None:
    """Verify records and their proofs.

    Checks the form, decks, moves, clocks and scores of each record, and its signature and place in the chain
    (docs/shuffles.md).

    MATCH is the id of a match on the service (that of KOZYR_URL, or of your profile). A FILE holds one record,
    or one record per line; - is standard input. A URL names a record or a list of records such as
    /v1/records, with any filters. Requests to a busy service are retried for five minutes.

    Exits with status 0 if all records are right, 1 if a record is wrong, 2 if a source cannot be read.
    """
    from kozyr.cli.commands.replay import place_of
    from kozyr.console import console
    from kozyr.reading.verify import Source, UnreadableSource, public_key

    show_warnings()
    tally, screen = _Tally(), console(quiet=wants_json())
    keys = [public_key(each) for each in given]
    for given_name in sources:
        source = Source(place_of(given_name), keys)
        try:
            for checked in source.checked():
                tally.add(checked)
                _show(screen, checked)
        except UnreadableSource as why:
            tally.unreadable += 1
            echo(f"kozyr: {why}", err=True)
        _show_gaps(screen, source, tally, whole)
    tally.show(screen)
    show(tally.to_json())
    sys.exit(REFUSED if tally.wrong or tally.incomplete else AWAY if tally.unreadable else 0)


@dataclass
class _Tally:
    """Totals over all records."""

    records: int = 0
    wrong: int = 0
    incomplete: int = 0
    """How many sources have gaps although `--whole` forbids them."""
    signed: int = 0
    unsigned: dict[str, int] = field(default_factory=dict)
    """How many signatures were not checked, by reason."""
    unreadable: int = 0
    findings: list[dict[str, Any]] = field(default_factory=list)
    """The wrong records, as JSON."""
    gaps: list[dict[str, Any]] = field(default_factory=list)
    """The records that are missing from a source, as JSON."""

    def to_json(self) -> dict[str, Any]:
        """Return the totals, the wrong records and the gaps."""
        totals = {
            name: getattr(self, name) for name in ("records", "wrong", "signed", "unsigned", "unreadable")
        }
        return {**totals, "findings": self.findings, "gaps": self.gaps}

    def add(self, checked: Checked) -> None:
        self.records += 1
        for found in checked.findings:
            self.findings.append(
                {
                    "record": str(checked.where),
                    "match": checked.match,
                    "where": found.where,
                    "wrong": str(found.wrong),
                    "expected": str(found.right),
                }
            )
        self.wrong += bool(checked.findings)
        self.signed += checked.signed
        if not checked.signed:
            why = _why_unchecked(checked)
            self.unsigned[why] = self.unsigned.get(why, 0) + 1

    def show(self, screen: Console) -> None:
        right = self.records - self.wrong
        screen.print(f"{_counted(self.records, 'record')}: {right} right, ", end="")
        screen.print(f"{self.wrong} wrong", style="bold red" if self.wrong else "green")
        notes = [f"{self.signed} checked"] if self.signed else []
        notes += [f"{count} NOT checked {why}" for why, count in self.unsigned.items()]
        if notes:
            screen.print("signatures: " + "; ".join(notes), style="yellow" if self.unsigned else None)


def _why_unchecked(checked: Checked) -> str:
    if checked.unsigned:
        return "for lack of a signature"
    return "for lack of a key (add --key)" if checked.proven else "for lack of a proof"


def _show(screen: Console, checked: Checked) -> None:
    if not checked.findings:
        return
    screen.print(f"{checked.where}: match {checked.match or '?'}", style="bold")
    for found in checked.findings:
        screen.print(f"  {found.where or 'the record'}: ", style="red", end="")
        screen.print(f"{found.wrong}; expected {found.right}")


def _show_gaps(screen: Console, source: Source, tally: _Tally, whole: bool) -> None:
    gaps = source.neighbours.gaps(source.announced if whole else 0)
    if not gaps:
        return
    shown = ", ".join(str(first) if first == last else f"{first} to {last}" for first, last in gaps[:10])
    more = f" and {len(gaps) - 10} more gaps" if len(gaps) > 10 else ""
    what = f"{source.name}: missing records {shown}{more} of the chain"
    tally.incomplete += whole
    tally.gaps += [{"source": source.name, "first": first, "last": last} for first, last in gaps]
    screen.print(what, style="red" if whole else "yellow")


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
