"""`kozyr view`: a finished match as one HTML file."""

from __future__ import annotations

import os
from pathlib import Path

import click

from kozyr.terminal import echo


@click.command()
@click.argument("source", metavar="MATCH|FILE|URL")
@click.option("--match", "match_id", metavar="ID", help="The match in a file with several records.")
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="The file to write; - for standard output.  [default: <match>.html]",
)
@click.option(
    "--language",
    type=click.Choice(["en", "ru"]),
    default="en",
    show_default=True,
    help="The language of the page.",
)
def view(source: str, match_id: str | None, out: Path | None, language: str) -> None:
    """Write the page of a finished match as one HTML file.

    Give the id of a match on the service (that of KOZYR_URL, or of your profile), a file of records (- for standard
    input), or the URL of a record. The file has everything that it needs and opens without a network.
    """
    from kozyr.cli.commands.replay import record_of
    from kozyr.reading.view import page
    from records.ids import is_match_id

    record = record_of(source, match_id)
    text = page(record, language)
    if out is None:
        # A record from somebody else could name a file in another folder.
        if not is_match_id(str(record["id"])):
            raise click.ClickException(f"the id {record['id']!r} is no name for a file; give one with --out")
        out = Path(f"{record['id']}.html")
    if os.fspath(out) == "-":
        echo(*text.removesuffix("\n").split("\n"))
        return
    try:
        out.write_text(text, encoding="utf-8")
    except OSError as why:
        raise click.ClickException(f"{out} can't be written: {why.strerror}") from why
    echo(f"{out}: {len(text) // 1024} KiB", err=True)
