"""`kozyr backup` and `kozyr restore`."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec, TypeVar

import click

from kozyr.cli.errors import AWAY, REFUSED, fail
from kozyr.cli.output import show
from kozyr.terminal import echo
from server.commands.shared import prints_result

if TYPE_CHECKING:
    from server.backup.manifest import BackupManifest

P = ParamSpec("P")
R = TypeVar("R")


def _reports_errors(command: Callable[P, R]) -> Callable[P, R]:
    """Print the errors of backups without a traceback. Exit with status 2 for a folder that can't be read or written,
    and 1 for a backup that is wrong or a target that is not empty."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        from server.backup.manifest import BadBackup, UnreadableBackup
        from server.backup.restoring import NotEmpty
        from server.backup.snapshot import SnapshotError
        from server.config.folder import UnusableFolder

        try:
            return command(*args, **kwargs)
        except (BadBackup, NotEmpty, SnapshotError) as why:
            fail(str(why), AWAY if isinstance(why, UnreadableBackup) else REFUSED)
        except UnusableFolder:
            raise
        except OSError as why:
            where = "" if why.filename is None else f"{os.fsdecode(why.filename)}: "
            fail(f"{where}{why.strerror or why}", AWAY)

    return run


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--archive/--no-archive",
    default=None,
    help="Include the archive, and not only its index.  [default: if it is a folder]",
)
@click.option(
    "--keep",
    type=click.IntRange(min=1),
    help="Write into a folder of FOLDER that is named after the instant, and keep this number of them there.",
)
@prints_result
@_reports_errors
def backup(folder: Path, archive: bool | None, keep: int | None) -> None:
    """Write a backup of the running service into a new FOLDER, and verify it.

    It holds the data of one instant: a snapshot of Redis, the archive, and the secrets that the service keeps in
    KOZYR_VAR. A scratch Redis loads the snapshot, and every record is compared with the hash chain.
    """
    from server.backup.saving import delete_old, instant_name, save
    from server.config.settings import load

    done = save(load(), folder if keep is None else folder / instant_name(), archive=archive)
    if keep is not None:
        delete_old(folder, keep)
    _summary(done.manifest, f"wrote {done.folder}")
    for warning in done.warnings:
        echo(f"warning: {warning}", err=True)
    if any(name in done.manifest.files for name in ("secret", "signing-key")):
        echo("warning: the backup contains the secrets of the service: protect it", err=True)


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@prints_result
@_reports_errors
def restore(folder: Path) -> None:
    """Restore the backup in FOLDER, and verify it.

    The target is the Redis of KOZYR_REDIS_URL, or an embedded one in KOZYR_VAR. It must be empty, and no service may
    run on it. Then start the service as usual. KOZYR_SECRET authenticates the backup; without it, the secret inside the
    backup does.
    """
    from server.backup.restoring import restore as run
    from server.config.settings import load

    settings = load()
    made = run(settings, folder)
    target = settings.var / "redis" if settings.redis_url is None else "KOZYR_REDIS_URL"
    _summary(made, f"restored to {target}")
    if settings.secret is None:
        echo(
            "warning: the secret inside the backup authenticates it, so all who can read the backup can sign a "
            "changed one",
            err=True,
        )


def _summary(made: BackupManifest, first: str) -> None:
    show(
        made.to_json(),
        first,
        f"created   {made.created}",
        f"keys      {made.keys}, written by {made.server}",
        f"records   {made.records}, {made.archived} of them in the archive; the chain is verified",
        f"archive   {'included' if made.has_archive else f'not included, but for its index ({made.archive})'}",
    )
