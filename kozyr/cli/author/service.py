"""How commands reach a service: which address, whose token, which version."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import click

from kozyr.cli.author.profiles import Profile, ProfileError, Profiles
from kozyr.cli.errors import AWAY, PATIENCE_S, fail, one_sentence
from kozyr.cli.options import address_fault, token_option
from kozyr.cli.output import Option, as_json, together

if TYPE_CHECKING:
    from kozyr_client import Client

Role = Literal["owner", "bot", "any", "none"]
"""Whose token a command needs: `any` takes the owner's before a bot's, `none` needs no token but uses one."""

DEFAULT_URL: Final = "http://127.0.0.1:8000"
"""Where `kozyr up` listens by default."""
_NEEDED: Final = {
    "owner": "an owner's token: run `kozyr register URL NAME` or `kozyr login URL`, or set KOZYR_TOKEN",
    "bot": "a bot's token: run `kozyr bot create NAME` or `kozyr login URL`, or set KOZYR_TOKEN",
    "any": "a token: run `kozyr register URL NAME` or `kozyr login URL`, or set KOZYR_TOKEN",
}


class Address(NamedTuple):
    """The address of a service and the token for it."""

    url: str
    token: str | None
    profile: Profile | None
    """The profile of this service, if there is one."""
    profile_name: str


class Service(NamedTuple):
    """A service as a command sees it."""

    client: Client
    profiles: Profiles
    at: Address

    @property
    def owner(self) -> str | None:
        """The owner of the profile in use, if one is."""
        return None if self.at.profile is None else self.at.profile.owner


def full_name(text: str, owner: str | None) -> str:
    """Return the name of a bot. Raise `click.UsageError` if it is not of the form OWNER/BOT."""
    if text.count("/") != 1:
        hint = f"; did you mean {owner}/{text}?" if owner is not None and "/" not in text else ""
        raise click.UsageError(f"{text!r} is not of the form OWNER/BOT{hint}", click.get_current_context())
    return text


def address(
    profiles: Profiles, *, url: str | None, token: str | None, name: str | None, bot: str | None, role: Role
) -> Address:
    """Return the address and token for a command.

    The address is `url`, else that of the profile, else `DEFAULT_URL`. A token of a profile goes only to the
    service of this profile. Raise `ProfileError` if the role needs a token and there is none.
    """
    if url is not None and (fault := address_fault(url)):
        raise ProfileError(fault)
    profile = profiles.get(name)
    if url is not None and profile is not None and profile.url != url.rstrip("/"):
        if name is not None:
            raise ProfileError(
                f"the profile {name} is for {profile.url}, not for {url}: leave out --url or --profile"
            )
        name = next((known for known, each in profiles.known.items() if each.url == url.rstrip("/")), None)
        profile = None if name is None else profiles.known[name]
    at = (url or (profile.url if profile else None) or DEFAULT_URL).rstrip("/")
    if fault := address_fault(at):
        raise ProfileError(fault)
    if token is None and profile is not None:
        of_bot = role == "bot" or bot is not None
        token = profiles.token_of_bot(name or profiles.current, bot) if of_bot else profile.token
    if token is None and role != "none":
        raise ProfileError(f"this needs {_NEEDED[role]}")
    return Address(at, token, profile, name or profiles.current)


def calls_service(
    role: Role, *, with_bot: bool = False
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Add `--url`, `--token`, `--profile` and `--json` to a command, and pass it a `Service` first.

    With `with_bot` also `--bot`. An argument `at` of the command overrides `--url`. Errors are printed in one line:
    exit status 1 for a refusal, 2 for everything else.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(command)
        def run(
            *args: Any,
            url: str | None,
            token: str | None,
            profile: str | None,
            bot_name: str | None = None,
            at: str | None = None,
            **kwargs: Any,
        ) -> None:
            from kozyr_client import Client

            with one_sentence() as where:
                profiles = Profiles()
                found = address(profiles, url=at or url, token=token, name=profile, bot=bot_name, role=role)
                where.append(found.url)
                with Client(found.url, found.token, patience_s=PATIENCE_S, fail_fast=True) as client:
                    check_version(client, found.url)
                    command(Service(client, profiles, found), *args, **kwargs)

        return with_options(with_bot=with_bot)(run)

    return decorate


def plays_at_service(command: Callable[..., None]) -> Callable[..., None]:
    """Add the argument `URL` and the options of `calls_service` to a command that plays with a bot's token, and pass it
    the `Address` and the bot's name first. Errors are printed as there."""

    @calls_service("bot", with_bot=True)
    @functools.wraps(command)
    def run(service: Service, *args: Any, **kwargs: Any) -> None:
        about = service.client.request("GET", "/v1/token")
        if about["kind"] != "bot":
            fail(f"the token is that of an {about['kind']}: create a bot with `kozyr bot create NAME`", AWAY)
        command(service.at, about["name"], *args, **kwargs)

    return click.argument("at", required=False, metavar="[URL]")(run)


def with_options(*, with_bot: bool = False) -> Option:
    """Return the options that say which service and whose token, and `--json`."""
    return together(
        click.option("--url", envvar="KOZYR_URL", help="Address of the service.  [default: the profile's]"),
        token_option("Token; KOZYR_TOKEN is safer.  [default: KOZYR_TOKEN, or the profile's]"),
        click.option(
            "--profile",
            envvar="KOZYR_PROFILE",
            metavar="NAME",
            help="Profile with the address and tokens.  [default: the one used last by register or login]",
        ),
        *(
            [click.option("--bot", "bot_name", metavar="NAME", help="Bot of the profile.")]
            if with_bot
            else []
        ),
        as_json,
    )


def check_version(client: Client, at: str) -> None:
    """Raise `ProfileError` if the service is of another kind or version."""
    from importlib.metadata import version

    limits: Any = client.limits()
    theirs, ours = limits.get("version") if isinstance(limits, dict) else None, version("kozyr")
    if not isinstance(theirs, str):
        raise ProfileError(f"{at} is no Kozyr service: check the address")
    if theirs.partition(".")[0] != ours.partition(".")[0]:
        major = theirs.partition(".")[0]
        raise ProfileError(f"{at} runs Kozyr {theirs}, and this is {ours}: install kozyr {major}")
