"""The commands of `kozyr` that run and operate the service.

kozyr finds `COMMANDS` through the entry point group `kozyr.commands`.
"""

from __future__ import annotations

from typing import Final

COMMANDS: Final = (
    ("admin", "admins:admin", "Issue, list and revoke admin tokens."),
    ("announce", "service:announce", "Show TEXT on every page of the site."),
    ("api", "processes:api", "Run the HTTP API under gunicorn."),
    ("archive", "archive:archive", "Show, fill, verify and rebuild the archive of finished matches."),
    ("audit", "admin:audit", "Print the audit log as NDJSON, newest first."),
    ("backup", "backup:backup", "Write a backup of the running service into a new FOLDER, and verify it."),
    ("clock", "processes:clock", "Run the deadline loop."),
    ("data", "data:data", "Check and repair the stored data."),
    ("demo", "processes:demo", "Play the demonstration league on a running service."),
    ("disable", "admin:disable", "Disable a bot, or an owner with all of its bots."),
    ("drain", "service:drain", "Let running matches end and start no new ones."),
    ("enable", "admin:enable", "Enable a disabled bot or owner."),
    (
        "healthy",
        "processes:healthy",
        "Exit with status 0 if the process of this KIND on this host works, else with 1.",
    ),
    ("openapi", "documents:openapi", "Write the OpenAPI documents into the current folder."),
    ("pause", "service:pause", "Pause the service: stop all clocks."),
    ("redis", "processes:redis", "Run the embedded Redis in the foreground."),
    ("rerun", "admin:rerun", "Play the void MATCH of a ladder again."),
    ("restore", "backup:restore", "Restore the backup in FOLDER, and verify it."),
    ("resume", "service:resume", "Resume after a pause or a drain."),
    ("settings", "documents:settings", "List every setting with its value and meaning."),
    ("up", "up:up", "Start the whole service on this machine."),
    ("void", "admin:void", "Declare that MATCH does not count."),
    ("worker", "processes:worker", "Run an RQ worker."),
)
"""By command: the module of this package and the name in it, and the first sentence of its help."""
