"""The group of all commands: one form of error messages, and suggestions for typos."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from typing import Any, Final, NoReturn

import click

from kozyr.cli.errors import AWAY, INTERRUPTED
from kozyr.terminal import echo

OPERATE: Final = "Operate the service"
"""The section of the commands from other distributions."""
OF_SERVER: Final = (
    *("admin", "announce", "api", "archive", "audit", "backup", "clock", "data", "demo", "disable", "drain"),
    *("enable", "healthy", "openapi", "pause", "redis", "rerun", "restore", "resume"),
    *("settings", "up", "void", "worker"),
)
"""The commands of the distribution kozyr-server."""


class DeferredCommand(click.Command):
    """A command that is known by name and by the first sentence of its help, and imported when it is called."""

    def __init__(self, name: str, target: str, first_sentence: str, section: str) -> None:
        """`target` is `package.module:name`; `section` is that of `kozyr --help`."""
        super().__init__(name, help=first_sentence)
        self._target, self.section = target, section

    def load(self) -> click.Command:
        """Return the command itself."""
        module, _, name = self._target.partition(":")
        command = getattr(importlib.import_module(module), name)
        assert isinstance(command, click.Command)
        return command


class SuggestingGroup(click.Group):
    """A group that suggests a command for a typo."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command. Raise `click.UsageError` with the nearest names."""
        name = args[0] if args else ""
        if self.get_command(ctx, name) is None and not name.startswith("-") and not ctx.resilient_parsing:
            import difflib

            near = difflib.get_close_matches(name, self.list_commands(ctx), 3, 0.55)
            hint = f"; did you mean {' or '.join(near)}?" if near else ""
            raise click.UsageError(f"there is no command {name!r}{hint}", ctx)
        return super().resolve_command(ctx, args)


class MainGroup(SuggestingGroup):
    """The command `kozyr`. Every error is one sentence on standard error, which begins with `kozyr:`.

    Other distributions add commands: an entry point of the group `kozyr.commands` names rows like those of
    `server.commands.COMMANDS`.
    """

    _complete = False

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        self._add_installed()
        return super().list_commands(ctx)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command, or `None`."""
        if cmd_name not in self.commands:
            self._add_installed()
        return super().get_command(ctx, cmd_name)

    def _add_installed(self) -> None:
        """Add the commands of other distributions, once."""
        if self._complete:
            return
        self._complete = True
        from importlib.metadata import entry_points

        for point in entry_points(group="kozyr.commands"):
            for name, target, sentence in point.load():
                self.add_command(DeferredCommand(name, f"{point.module}.{target}", sentence, OPERATE))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands by section."""
        self._add_installed()
        sections: dict[str, list[tuple[str, str]]] = {}
        widest = max(map(len, self.commands))
        for name, command in self.commands.items():
            assert isinstance(command, DeferredCommand)
            sentence = command.get_short_help_str(formatter.width - widest - 6)
            sections.setdefault(command.section, []).append((name.ljust(widest), sentence))
        for section, rows in sections.items():
            with formatter.section(section):
                formatter.write_dl(rows)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command, imported. Raise `click.UsageError` with the nearest names, or for a command of the server
        with what to install."""
        if args and args[0] in OF_SERVER and self.get_command(ctx, args[0]) is None:
            why = f"`kozyr {args[0]}` belongs to the server: install it with `pip install kozyr-server`"
            raise click.UsageError(why, ctx)
        name, command, rest = super().resolve_command(ctx, args)
        return name, command.load() if isinstance(command, DeferredCommand) else command, rest

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> NoReturn:
        """Run a command and exit."""
        if sys.platform == "win32":  # where files and pipes have another encoding
            for stream in (sys.stdout, sys.stderr):
                stream.reconfigure(encoding="utf-8")
        try:
            status = super().main(args, prog_name, complete_var, False, **extra)
        except click.Abort:
            sys.exit(INTERRUPTED)
        except click.exceptions.NoArgsIsHelpError as why:
            why.show()
            sys.exit(AWAY)
        except click.UsageError as why:
            command = why.ctx.command_path if why.ctx is not None else "kozyr"
            text = _sentence(why)
            see = " See" if text.endswith("?") else "; see"
            echo(f"kozyr: {text}{see} `{command} --help`", err=True)
            sys.exit(AWAY)
        except click.ClickException as why:
            echo(f"kozyr: {why.format_message()}", err=True)
            sys.exit(AWAY)
        sys.exit(status if isinstance(status, int) else 0)


def _sentence(why: click.UsageError) -> str:
    """Return a message of click in one line, in the form of ours: it begins small and has no full stop."""
    text = " ".join(why.format_message().split()).rstrip(".")
    if isinstance(why, click.BadParameter) and why.param is not None:
        text = text.replace(f"a valid {why.param.type.name}", _range_in_words(why.param.type))
    return text[:1].lower() + text[1:] if text[1:2].islower() else text


def _range_in_words(kind: click.ParamType[Any]) -> str:
    """Return what a number must be; click says only `a valid integer range`."""
    if not isinstance(kind, click.IntRange | click.FloatRange):
        return f"a valid {kind.name}"
    what = "a whole number" if isinstance(kind, click.IntRange) else "a number"
    if kind.min is None:
        return what if kind.max is None else f"{what} up to {kind.max:g}"
    return f"{what} from {kind.min:g}" + (" on" if kind.max is None else f" to {kind.max:g}")
