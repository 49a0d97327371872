"""Documents that the code generates: openapi.yaml and the table of settings."""

from __future__ import annotations

from pathlib import Path

import click

from kozyr.cli.errors import REFUSED, fail
from kozyr.terminal import echo
from server.commands.shared import plainly

PYPROJECT = Path("pyproject.toml")


@click.command()
@click.option("--check", is_flag=True, help="Write nothing; fail if a document is outdated or invalid.")
@click.option("--stdout", is_flag=True, help="Print openapi.yaml instead of writing the files.")
@plainly
def openapi(check: bool, stdout: bool) -> None:
    """Write the OpenAPI documents into the current folder.

    They are openapi.yaml and openapi-bot.yaml, generated from the code.
    """
    from server.app import openapi_texts

    _is_current_version()
    texts = openapi_texts()
    if stdout:
        echo(*texts["openapi.yaml"].splitlines())
        return
    for name, text in texts.items():
        if check:
            _check(name, text)
        else:
            Path(name).write_text(text, encoding="utf-8")


def _check(name: str, fresh: str) -> None:
    """Fail if the file differs from this document, or the document is invalid."""
    import yaml
    from openapi_spec_validator import validate

    kept = Path(name).read_text(encoding="utf-8") if Path(name).exists() else ""
    if kept != fresh:
        import difflib

        different = difflib.unified_diff(kept.splitlines(), fresh.splitlines(), name, "the code", lineterm="")
        echo(*list(different)[:60], err=True)
        fail(f"{name} is outdated: run `kozyr openapi` and commit it", REFUSED)
    validate(yaml.safe_load(fresh))
    echo(f"{name} is current and valid")


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
