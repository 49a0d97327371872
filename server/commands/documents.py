"""Documents that the code generates: openapi.yaml and the table of settings."""

from __future__ import annotations

from pathlib import Path

import click

from kozyr.cli.errors import REFUSED, fail
from kozyr.terminal import echo
from server.commands.shared import plainly

OPENAPI = Path("openapi.yaml")
PYPROJECT = Path("pyproject.toml")


@click.command()
@click.option("--check", is_flag=True, help="Write nothing; fail if openapi.yaml is outdated or invalid.")
@click.option("--stdout", is_flag=True, help="Print the document instead of writing the file.")
@plainly
def openapi(check: bool, stdout: bool) -> None:
    """Write openapi.yaml into the current folder.

    The document is generated from the code.
    """
    from server.app import openapi_text

    _is_current_version()
    fresh = openapi_text()
    if stdout:
        echo(*fresh.splitlines())
        return
    if not check:
        OPENAPI.write_text(fresh, encoding="utf-8")
        return
    import yaml
    from openapi_spec_validator import validate

    kept = OPENAPI.read_text(encoding="utf-8") if OPENAPI.exists() else ""
    if kept != fresh:
        import difflib

        different = difflib.unified_diff(
            kept.splitlines(), fresh.splitlines(), "openapi.yaml", "the code", lineterm=""
        )
        echo(*list(different)[:60], err=True)
        fail("openapi.yaml is outdated: run `kozyr openapi` and commit it", REFUSED)
    validate(yaml.safe_load(fresh))
    echo("openapi.yaml is current and valid")


def _is_current_version() -> None:
    """Fail if the checkout in the current folder has another version than the installed package."""
    import tomllib
    from importlib.metadata import version

    stated = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"] if PYPROJECT.exists() else {}
    if stated.get("name") == "kozyr" and stated["version"] != version("kozyr"):
        fail(
            f"{PYPROJECT} has version {stated['version']}, but {version('kozyr')} is installed: "
            "run `make docs`",
            REFUSED,
        )


@click.command()
@click.option("--markdown", is_flag=True, help="Print the page docs/settings.md.")
@click.option("--json", "as_json", is_flag=True, help="Print the values in force as a JSON document.")
@plainly
def settings(markdown: bool, as_json: bool) -> None:
    """List every setting with its value, users and meaning."""
    from server.config.settings import as_markdown, load, rows, shown, written

    if markdown:
        echo(*as_markdown().splitlines())
        return
    from rich.table import Table

    from kozyr.console import console

    now = load()
    if as_json:
        values = {row.variable: (written(getattr(now, name)), row) for name, row in rows().items()}
        known = {name: value and shown(row, value) for name, (value, row) in values.items()}
        import json

        echo(json.dumps(known, ensure_ascii=False))
        return
    table = Table(box=None, pad_edge=False)
    for heading in ("variable", "in force", "used by", "meaning"):
        table.add_column(heading, overflow="fold")
    for name, row in rows().items():
        value = written(getattr(now, name))
        in_force = f"({row.default})" if value is None else shown(row, value)
        table.add_row(row.variable, in_force, row.used_by, row.meaning)
    console().print(table)
