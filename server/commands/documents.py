"""Documents that the code generates: openapi.yaml and the table of settings."""

from __future__ import annotations

from pathlib import Path

import click

from kozyr.cli.errors import REFUSED, fail
from kozyr.cli.output import json_option, show
from kozyr.terminal import echo
from server.commands.shared import plainly

PYPROJECT = Path("pyproject.toml")


@click.command()
@click.option("--check", is_flag=True, help="Write nothing; fail if a document is outdated or invalid.")
@plainly
def openapi(check: bool) -> None:
    """Write the OpenAPI documents into the current folder.

    They are openapi.yaml and openapi-bot.yaml, generated from the code.
    """
    from server.app import openapi_texts

    _is_current_version()
    texts = openapi_texts()
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
@json_option("Print the values in force as a JSON document.")
@plainly
def settings(markdown: bool) -> None:
    """List every setting with its value and meaning."""
    from server.config.settings import as_markdown, load, rows, shown, written

    if markdown:
        echo(*as_markdown().splitlines())
        return
    from kozyr.console import table

    now = load()
    values = {name: written(getattr(now, name)) for name in rows()}
    known = {row.variable: (value := values[name]) and shown(row, value) for name, row in rows().items()}
    columns = ("variable", "in force", "meaning")
    made = table(*columns, texts=columns)
    for row in rows().values():
        made.add_row(row.variable, known[row.variable] or f"({row.default})", row.meaning)
    show(known, made)
