"""The command line."""

import click


@click.group()
def main() -> None:
    """Kozyr, a league server for bots."""
