"""Profiles: services with the tokens of an owner and its bots, in one file that only its user can read.

{"format": 1, "current": "default", "profiles": {"default": {
    "url": "https://kozyr.example.org", "owner": "example", "token": "kozyr_…", "bots": {"fool": "kozyr_…"}}}}
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from kozyr import systems
from kozyr.cli.errors import CommandError

FORMAT: Final = 1
DEFAULT: Final = "default"
"""The name of the first profile."""
_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO


class ProfileError(CommandError):
    """A profile is missing or its file can't be used. The text says what to do."""


@dataclass(frozen=True, slots=True)
class Profile:
    """A service, and the tokens for it."""

    url: str
    owner: str | None = None
    token: str | None = None
    """The owner's token."""
    bots: dict[str, str] = field(default_factory=dict)
    """The tokens of bots, by bot name without the owner."""

    def with_bot(self, name: str, token: str) -> Profile:
        """Return the profile with this token of a bot."""
        return replace(self, bots={**self.bots, name: token})


def profiles_path() -> Path:
    """Return the file that holds all profiles of the user."""
    import platformdirs

    return platformdirs.user_config_path("kozyr", appauthor=False) / "profiles.json"


class Profiles:
    """All profiles of a user. Each change rereads the file under a lock, so parallel commands keep all tokens."""

    def __init__(self, path: Path | None = None) -> None:
        """Read the file, if there is one. Raise `ProfileError`."""
        self.path = path or profiles_path()
        self.current = DEFAULT
        self.known: dict[str, Profile]
        self._read()

    def get(self, name: str | None) -> Profile | None:
        """Return this profile, or without a name the current one, if any. Raise `ProfileError` for an unknown name."""
        if name is not None and name not in self.known:
            raise ProfileError(
                f"there is no profile {name!r} ({self._names()}): create it with `kozyr login`"
            )
        return self.known.get(name or self.current)

    def token_of_bot(self, profile_name: str, bot: str | None) -> str:
        """Return the token of this bot, or of the only one. Raise `ProfileError`, which says what there is instead."""
        profile = self.known[profile_name]
        whose = f"profile {profile_name} ({profile.owner} at {profile.url})"
        names = ", ".join(sorted(profile.bots))
        elsewhere = (
            f", or choose another profile with --profile ({self._names()})" if len(self.known) > 1 else ""
        )
        if bot is not None:
            own = bot.rpartition("/")[2]
            if own not in profile.bots:
                has = f"it has: {names}" if names else "it has none"
                raise ProfileError(
                    f"{whose} has no bot {own!r} ({has}): create it with `kozyr bot create {own}`{elsewhere}"
                )
            return profile.bots[own]
        if not profile.bots:
            raise ProfileError(f"{whose} has no bots: create one with `kozyr bot create NAME`{elsewhere}")
        if len(profile.bots) > 1:
            raise ProfileError(f"{whose} has several bots ({names}): choose one with --bot")
        return next(iter(profile.bots.values()))

    def check_writable(self) -> None:
        """Raise `ProfileError` if the file can't be written. Call it before a token is asked for."""
        with self._changing(), self._fresh_file() as file:
            file.write_text("kozyr", encoding="utf-8")  # a full disk takes an empty file

    def save(self, name: str, profile: Profile) -> None:
        """Store a profile and make it the current one. Raise `ProfileError`."""
        self.update(name, lambda _: profile, use=True)

    def update(self, name: str, change: Callable[[Profile | None], Profile], *, use: bool = False) -> None:
        """Replace a profile by what `change` makes of its present state, and with `use` make it the current one.

        Raise `ProfileError`.
        """
        with self._changing():
            self.known[name] = change(self.known.get(name))
            if use:
                self.current = name
            self._write()

    def use(self, name: str) -> None:
        """Make a profile the current one. Raise `ProfileError` for an unknown name."""
        with self._changing():
            self._check_known(name)
            self.current = name
            self._write()

    def remove(self, name: str) -> None:
        """Forget a profile. Raise `ProfileError` for an unknown name."""
        with self._changing():
            self._check_known(name)
            del self.known[name]
            if self.current == name:
                self.current = next(iter(self.known), DEFAULT)
            self._write()

    def _check_known(self, name: str) -> None:
        if name not in self.known:
            raise ProfileError(f"there is no profile {name!r} ({self._names()})")

    def _names(self) -> str:
        return f"known: {', '.join(sorted(self.known)) or 'none'}"

    @contextlib.contextmanager
    def _changing(self) -> Iterator[None]:
        """Hold the lock of the file, and begin with its present state. Raise `ProfileError`."""
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with self.path.with_suffix(".lock").open("a", encoding="utf-8") as lock:
                systems.lock(lock)
                self._read()
                yield
        except OSError as why:
            raise ProfileError(f"{self.path} can't be written: {why.strerror}") from None

    def _read(self) -> None:
        """Read the file, if there is one. Raise `ProfileError`."""
        try:
            with self.path.open("rb") as file:
                if os.name == "posix" and os.fstat(file.fileno()).st_mode & _OTHERS:
                    raise ProfileError(
                        f"{self.path} holds tokens and others can read it: run `chmod 600 {self.path}`"
                    )
                self._load(json.load(file))
        except FileNotFoundError:
            self.current, self.known = DEFAULT, {}
        except OSError as why:
            raise ProfileError(f"{self.path} can't be read: {why.strerror}") from None
        except (ValueError, TypeError, KeyError, AttributeError) as why:
            raise ProfileError(f"{self.path} is damaged ({why}): repair it, or move it away") from None

    def _load(self, document: dict[str, Any]) -> None:
        if document["format"] != FORMAT:
            raise ProfileError(f"{self.path} comes from a newer version of kozyr: upgrade this one")
        self.current = str(document["current"])
        self.known = {str(name): Profile(**fields) for name, fields in document["profiles"].items()}

    def _write(self) -> None:
        profiles = {
            name: {"url": each.url, "owner": each.owner, "token": each.token, "bots": each.bots}
            for name, each in self.known.items()
        }
        text = json.dumps({"format": FORMAT, "current": self.current, "profiles": profiles}, indent=1)
        with self._fresh_file() as name:
            name.write_text(text + "\n", encoding="utf-8")
            name.replace(self.path)

    @contextlib.contextmanager
    def _fresh_file(self) -> Iterator[Path]:
        """Create a file beside the profiles, with mode 0600, and remove it unless it was moved. Raise `OSError`."""
        number, name = tempfile.mkstemp(dir=self.path.parent, prefix=".profiles-")
        os.close(number)
        try:
            yield Path(name)
        finally:
            Path(name).unlink(missing_ok=True)
