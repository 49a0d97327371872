"""`kozyr register`, `login`, `bot` and `token`: owners, their bots and tokens, and the profiles that keep them."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

import click

from kozyr.cli.author.pending import creation
from kozyr.cli.author.profiles import DEFAULT, Profile, ProfileError, Profiles
from kozyr.cli.author.service import Service, calls_service, check_version, full_name
from kozyr.cli.errors import AWAY, PATIENCE_S, fail, one_sentence
from kozyr.cli.groups import SuggestingGroup
from kozyr.cli.options import service_url, token_option, token_text
from kozyr.cli.output import as_json, show, together, wants_json
from kozyr.terminal import echo

BOT_COLUMNS: Final = ("name", "version", "online", "disabled", "description")
AGENT: Final = {
    "model": "Language model that plays",
    "provider": "Who runs the model",
    "harness": "Program that asks the model",
    "effort": "How much the model is to think",
}
TOKEN_COLUMNS: Final = ("id", "kind", "scopes", "created", "expires", "note")

UNTIL_KEPT_S: Final = 600
"""How long a token stays valid if `kozyr token rotate` is interrupted, in seconds."""
PUBLIC: Final = "records of your bots' matches are published under CC0-1.0 when they may be read"
"""What a new owner has agreed to."""

profile_named = click.option(
    "--profile", envvar="KOZYR_PROFILE", default=DEFAULT, show_default=True, help="Profile to write."
)


@click.command()
@service_url
@click.argument("name")
@click.option(
    "--invitation", metavar="CODE", help="The operator's invitation, required if registration is closed."
)
@click.option(
    "--real-name",
    help="Your real name, if the invitation asks for it. Only you and the organisers of your class see it.",
)
@profile_named
@as_json
def register(url: str, name: str, invitation: str | None, real_name: str | None, profile: str) -> None:
    """Register the owner NAME on the service at URL.

    Keeps the owner's token in your profile, where the other commands find it.

    The service publishes the records of finished matches under CC0-1.0, with the names of bots and their notes on
    moves. By registering you agree.
    """
    from kozyr_client import Client
    from kozyr_client.http import without_none

    with one_sentence() as at, Client(url, patience_s=PATIENCE_S, fail_fast=True) as client:
        at.append(url.rstrip("/"))
        profiles = Profiles()
        _check_free(profiles.known.get(profile), profile)
        check_version(client, client.url)
        profiles.check_writable()
        body = without_none(name=name, invitation=invitation, real_name=real_name)
        with creation(client, "/v1/owners", body, profiles.path.parent) as made:

            def fresh(known: Profile | None) -> Profile:
                _check_free(known, profile)
                return Profile(client.url, made["owner"]["name"], made["token"])

            _keep(made, lambda: profiles.update(profile, fresh, use=True))
        report = f"registered {name} at {client.url}; the token is in {_where(profiles, profile)}"
        show(made, report, PUBLIC)


def _asked_for_token() -> str:
    """Return the token that is typed, unseen, or comes through a pipe."""
    if sys.stdin.isatty():
        return str(click.prompt("token", hide_input=True))
    text = sys.stdin.readline().strip()
    if not text:
        fail("there is no token: type it in a terminal, pipe it in, or set KOZYR_TOKEN", AWAY)
    return text


@click.command()
@service_url
@token_option("Token of an owner or a bot; KOZYR_TOKEN is safer.  [default: ask for it]")
@profile_named
@as_json
def login(url: str, token: str | None, profile: str) -> None:
    """Keep a token for the service at URL in your profile.

    Takes the token of an owner or of a bot. A bot's token joins the profile of its owner.
    """
    from kozyr_client import Client

    text = token or token_text(_asked_for_token())
    with one_sentence() as at, Client(url, text, patience_s=PATIENCE_S, fail_fast=True) as client:
        at.append(client.url)
        profiles = Profiles()
        check_version(client, client.url)
        about = client.request("GET", "/v1/token")
        if about["kind"] not in ("owner", "bot"):
            raise ProfileError(
                f"the token is that of an {about['kind']}; profiles keep those of owners and bots"
            )
        owner, _, bot = about["name"].partition("/")

        def joined(known: Profile | None) -> Profile:
            if known is None or (known.url, known.owner) != (client.url, owner):
                _check_free(known, profile)
                known = Profile(client.url, owner)
            return known.with_bot(bot, text) if bot else replace(known, token=text)

        profiles.update(profile, joined, use=True)
        where = _where(profiles, profile)
        show(about, f"logged in at {client.url} as {about['name']}; the token is in {where}")


@click.group(cls=SuggestingGroup)
def bot() -> None:
    """Create, list and change your bots."""


declares_agent = together(
    *(click.option(f"--{name}", help=f"{meaning}, as you declare it.") for name, meaning in AGENT.items())
)
"""The options for what an owner declares about the model."""


def _declared(fields: dict[str, str | None]) -> dict[str, str]:
    """Take what is declared out of the options of a command."""
    found = {name: fields.pop(name) for name in AGENT}
    return {name: value for name, value in found.items() if value is not None}


@bot.command()
@click.argument("name")
@click.option("--version", default=None, help="Version of the bot.  [default: 1]")
@click.option("--description", default=None, help="What the bot is, for everybody to read.")
@declares_agent
@calls_service("owner")
def create(
    service: Service, name: str, version: str | None, description: str | None, **fields: str | None
) -> None:
    """Create the bot NAME.

    Keeps the bot's token in your profile, where `kozyr connect` finds it. Without a profile, prints it, only this once.
    """
    body: dict[str, Any] = {"name": name, "version": version or "1"}
    body |= {} if description is None else {"description": description}
    if agent := _declared(fields):
        body["agent"] = agent
    profile, kept = service.at.profile, False
    if profile is None:
        made = service.client.create("/v1/bots", body)
    else:
        service.profiles.check_writable()
        with creation(service.client, "/v1/bots", body, service.profiles.path.parent) as made:
            kept = profile.owner == made["bot"]["owner"]
            if kept:
                _update(service, made, lambda known: known.with_bot(name, made["token"]))

    where = f"its token is in {service.profiles.path}" if kept else "its token follows, only this once"
    _show_token(made, f"created {made['bot']['bot']}; {where}", kept=kept)


@bot.command(name="list")
@calls_service("owner")
def list_bots(service: Service) -> None:
    """List your bots."""
    from kozyr.cli.author.columns import table

    found = service.client.request("GET", "/v1/owners/me")["bots"]
    show(found, table(found, BOT_COLUMNS, none="no bots; create one with `kozyr bot create NAME`"))


@bot.command(name="show")
@click.argument("name", metavar="OWNER/BOT")
@calls_service("none")
def show_bot(service: Service, name: str) -> None:
    """Show a bot with its match policy and ratings."""
    from kozyr.cli.author.columns import accepted, field_lines

    path = _path_of_bot(service, name)
    found = service.client.request("GET", path)
    ratings = service.client.request("GET", f"{path}/ratings")["ratings"]
    shown = {
        each["preset"]: "{rating:.0f} ({low:.0f} to {high:.0f})".format(**each["rating"])
        + (", not comparable with the anchor" if each["rating"].get("pool") else "")
        for each in ratings
    }
    policy = accepted(found["match_policy"])
    show({**found, "ratings": ratings}, field_lines({**found, "match_policy": policy, "ratings": shown}))


@bot.command(name="set")
@click.argument("name", metavar="OWNER/BOT")
@click.option("--name", "new_name", metavar="NAME", help="New name of the bot. The old one leads to it.")
@click.option("--version", help="New version of the bot.")
@click.option("--description", help="New description.")
@click.option("--max-matches", type=click.IntRange(0), help="The most concurrent matches that it accepts.")
@click.option("--games", metavar="GAME,…", help="The games that it accepts, or all.")
@declares_agent
@calls_service("owner")
def change(
    service: Service,
    name: str,
    new_name: str | None,
    max_matches: int | None,
    games: str | None,
    **fields: str | None,
) -> None:
    """Change a bot: its name, its version, its description, what it accepts, or what you declare about its model."""
    from kozyr.cli.author.columns import field_lines

    fields["name"] = new_name
    agent = _declared(fields)
    body: dict[str, Any] = {field: value for field, value in fields.items() if value is not None}
    policy: dict[str, Any] = {} if max_matches is None else {"max_matches": max_matches}
    if games is not None:
        policy["games"] = None if games == "all" else games.split(",")
    if policy or agent:
        known = service.client.request("GET", _path_of_bot(service, name))
        body |= {"match_policy": {**known["match_policy"], **policy}} if policy else {}
        body |= {"agent": {**known["agent"], **agent}} if agent else {}
    if not body:
        raise click.UsageError("nothing to change: give an option such as --version")
    found = service.client.request("PATCH", _path_of_bot(service, name), body=body)
    old = name.partition("/")[2]
    if new_name is not None and service.at.profile is not None and old in service.at.profile.bots:
        service.profiles.update(
            service.at.profile_name,
            lambda known: _renamed_bot(known or Profile(service.client.url), old, new_name),
        )
    show(found, field_lines(found))


def _renamed_bot(profile: Profile, old: str, new: str) -> Profile:
    bots = {new if name == old else name: token for name, token in profile.bots.items()}
    return replace(profile, bots=bots)


@click.command()
@click.argument("name", required=False)
@click.option("--delete", is_flag=True, help="Delete it.")
@calls_service("owner")
def real_name(service: Service, name: str | None, delete: bool) -> None:
    """Show your real name, change it to NAME, or delete it.

    An invitation asked you for it. Only you and the organisers of your class see it.
    """
    if name and delete:
        raise click.UsageError("Give a name or --delete.")
    if name or delete:
        found = service.client.request("PATCH", "/v1/owners/me", body={"real_name": name or ""})
    else:
        found = service.client.request("GET", "/v1/owners/me")["owner"]
    seen = f"  seen by the organisers of the ladders of {found['names_for']}" if found["names_for"] else ""
    show(found, f"{found['real_name'] or 'no real name'}{seen}")


@click.command()
@click.argument("name")
@calls_service("owner")
def rename(service: Service, name: str) -> None:
    """Rename yourself to NAME, and with you all of your bots.

    Records, standings and ratings show the new name. The old one leads to it, and nobody else can take it.
    """
    found = service.client.request("PATCH", "/v1/owners/me", body={"name": name})
    if service.at.profile is not None:
        service.profiles.update(
            service.at.profile_name,
            lambda known: replace(known or Profile(service.client.url), owner=found["name"]),
        )
    show(found, f"you are {found['name']} now")


@click.group(cls=SuggestingGroup)
def token() -> None:
    """List, create, replace and revoke tokens."""


@token.command(name="show")
@calls_service("any", with_bot=True)
def show_token(service: Service) -> None:
    """Show whose token is in use, and until when."""
    from kozyr.cli.author.columns import field_lines

    found = service.client.request("GET", "/v1/token")
    show(found, field_lines(found))


@token.command(name="list")
@click.option("--for-bot", metavar="NAME", help="List the tokens of this bot.  [default: the owner's]")
@calls_service("any")
def list_tokens(service: Service, for_bot: str | None) -> None:
    """List valid tokens, without their texts."""
    from kozyr.cli.author.columns import table

    query = {} if for_bot is None else {"bot": for_bot.rpartition("/")[2]}
    found = service.client.request("GET", "/v1/tokens", params=query)["tokens"]
    show(found, table(found, TOKEN_COLUMNS, none="no tokens"))


@token.command(name="create")
@click.option("--for-bot", metavar="NAME", help="Create a token of this bot.  [default: of the owner]")
@click.option("--note", default="", help="A note to tell tokens apart.")
@click.option("--days", type=click.IntRange(1), help="Days until it expires.  [default: never]")
@calls_service("owner")
def create_token(service: Service, for_bot: str | None, note: str, days: int | None) -> None:
    """Create another token and print it, only this once."""
    from records.instants import text_of

    body: dict[str, Any] = {"note": note} | ({} if for_bot is None else {"bot": for_bot.rpartition("/")[2]})
    if days is not None:
        body["expires"] = text_of(int((time.time() + 86_400 * days) * 1000))
    made = service.client.create("/v1/tokens", body)
    show(made, made["token"])


@token.command()
@click.option(
    "--overlap", default=0, metavar="SECONDS", help="How long the old token stays valid.  [default: 0]"
)
@calls_service("any", with_bot=True)
def rotate(service: Service, overlap: int) -> None:
    """Replace the token in use, in your profile too.

    Without a profile, prints the new token, only this once.
    """
    from kozyr_client.http import api_path

    about = service.client.request("GET", "/v1/token")
    profile, old = service.at.profile, service.at.token
    kept = profile is not None and old in (profile.token, *profile.bots.values())
    path = api_path("tokens", about["id"])

    def replaced(known: Profile) -> Profile:
        bots = {name: made["token"] if text == old else text for name, text in known.bots.items()}
        return replace(known, bots=bots, token=made["token"] if known.token == old else known.token)

    if kept:
        service.profiles.check_writable()
        # The old token goes when the new one is kept: an interrupted command can be given again.
        body = {"overlap_s": overlap or UNTIL_KEPT_S}
        with creation(service.client, f"{path}/rotate", body, service.profiles.path.parent) as made:
            _update(service, made, replaced)
        if not overlap:
            service.client.request("DELETE", path)
    else:
        made = service.client.create(f"{path}/rotate", {"overlap_s": overlap})

    _show_token(made, f"the token of {about['name']} is replaced", kept=kept)


@token.command()
@click.argument("ident", metavar="ID")
@calls_service("any")
def revoke(service: Service, ident: str) -> None:
    """Revoke the token with this ID, one of yours or of your bots."""
    from kozyr_client.http import api_path

    service.client.request("DELETE", api_path("tokens", ident))
    show({"revoked": ident}, f"token {ident} is revoked")


def _update(service: Service, made: Any, change: Callable[[Profile], Profile]) -> None:
    """Put a new token into the profile in use, or print the token and end."""
    at = service.at
    assert at.profile is not None
    before = at.profile
    # Another command may have removed the profile meanwhile: the token is kept all the same.
    _keep(made, lambda: service.profiles.update(at.profile_name, lambda known: change(known or before)))


def _keep(made: Any, save: Callable[[], None]) -> None:
    """Call `save`. If it fails, print the new token and end with `AWAY`: nobody can read it again."""
    try:
        save()
    except ProfileError as why:
        show(made, made["token"])
        fail(f"{why}; the new token is on standard output, this time only: keep it with `kozyr login`", AWAY)


def _where(profiles: Profiles, name: str) -> str:
    """Return where a token was kept, for the report of a command that made this profile the one in use."""
    return str(profiles.path) + ("" if name == DEFAULT else f", profile {name}, which commands now use")


def _check_free(known: Profile | None, name: str) -> None:
    if known is not None:
        raise ProfileError(
            f"the profile {name} is {known.owner}'s at {known.url}: choose another with --profile NAME"
        )


def _path_of_bot(service: Service, name: str) -> str:
    from kozyr_client.http import api_path

    owner, _, own = full_name(name, service.owner).partition("/")
    return api_path("bots", owner, own)


def _show_token(made: Any, line: str, *, kept: bool) -> None:
    """Print a new token, unless it is `kept` in the profile, and the line that says so."""
    if not (kept or wants_json()):
        echo(line, err=True)
    show(made, line if kept else made["token"])
