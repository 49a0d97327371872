"""The command line.

A command is imported when it is called. This keeps `kozyr --help` fast.
"""

from __future__ import annotations

from typing import Final

import click

from kozyr.cli.groups import DeferredCommand, MainGroup

_COMMANDS: Final = {
    "Play and connect": (
        ("register", "author.account:register", "Register the owner NAME on the service at URL."),
        ("login", "author.account:login", "Keep a token for the service at URL in your profile."),
        ("rename", "author.account:rename", "Rename yourself to NAME, and with you all of your bots."),
        ("real-name", "author.account:real_name", "Show your real name, change it to NAME, or delete it."),
        ("profile", "author.profile:profile", "List, choose and remove profiles."),
        ("bot", "author.account:bot", "Create, list and change your bots."),
        ("token", "author.account:token", "List, create, replace and revoke tokens."),
        ("new-bot", "author.new_bot:new_bot", "Write a bot in LANG into the new folder DIR."),
        ("play", "commands.play:play", "Play a tournament on this machine, without a service."),
        (
            "bench",
            "commands.bench:bench",
            "Measure AGENT against anchors on fixed decks, and in positions with exact values.",
        ),
        (
            "endings",
            "commands.endings:endings",
            "Print the endgame sets of a game, or one of them: positions with the exact value of each move.",
        ),
        ("connect", "author.connect:connect", "Play on the service at URL with your program."),
        ("mcp", "author.mcp:mcp", "Serve matches at URL as tools to a language model."),
        (
            "challenge",
            "author.match:challenge",
            "Create a match of your bot against others and print its id.",
        ),
        ("match", "author.match:match", "Create, list and show matches."),
        (
            "watch",
            "author.match:watch",
            "Watch a match until it is over, or what happens to your bots, a line per event.",
        ),
        ("check", "commands.check:check", "Run the conformance check of a bot on the service at URL."),
        (
            "compare",
            "author.compare:compare",
            "Compare two bots, such as two versions of your own, in unrated duplicate groups on the service.",
        ),
    ),
    "Read records": (
        (
            "export",
            "commands.export:export",
            "Write the records of the service at URL to a file, oldest first.",
        ),
        ("verify", "commands.verify:verify", "Verify records and their proofs."),
        ("replay", "commands.replay:replay", "Replay a finished match."),
        ("review", "commands.review:review", "Find the mistakes of a finished match."),
        ("view", "commands.view:view", "Write the page of a finished match as one HTML file."),
        ("rate", "commands.rate:rate", "Compute ratings from records."),
        (
            "points",
            "commands.points:points",
            "Compute points per deal from records, by preset, with 95 % intervals over groups.",
        ),
    ),
    "Organise ladders": (("ladder", "commands.ladder:ladder", "Create, enter, start and watch ladders."),),
}
"""By section of `kozyr --help` and command: the module and the name in it, and the first sentence of its help."""


@click.group(cls=MainGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="kozyr", message="%(prog)s %(version)s")
def main() -> None:
    """Kozyr, a league server for bots that play Russian card games."""


for _section, _commands in _COMMANDS.items():
    for _name, _target, _help in _commands:
        main.add_command(DeferredCommand(_name, f"kozyr.cli.{_target}", _help, _section))


if __name__ == "__main__":
    main()
