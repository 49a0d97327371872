"""Profiles: services with the tokens of an owner and its bots, in one file that only its user can read.

{"format": 1, "current": "default", "profiles": {"default": {
    "url": "https://kozyr.example.org", "owner": "example", "token": "kozyr_…", "bots": {"fool": "kozyr_…"}}}}
"""

from __future__ import annotations

import json
import os
import stat
import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

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

    def token_of_bot(self, name: str | None) -> tuple[str, str] | None:
        """Return the name and token of this bot, or of the only one. Raise `ProfileError` if there are several."""
        if name is None:
            if len(self.bots) > 1:
                names = ", ".join(sorted(self.bots))
                raise ProfileError(f"the profile has several bots ({names}): choose one with --bot")
            return next(iter(self.bots.items()), None)
        name = name.rpartition("/")[2]
        return (name, self.bots[name]) if name in self.bots else None


def profiles_path() -> Path:
    """Return the file that holds all profiles of the user."""
    import platformdirs

    return platformdirs.user_config_path("kozyr", appauthor=False) / "profiles.json"


class Profiles:
    """All profiles of a user. Changes are written at once."""

    def __init__(self, path: Path | None = None) -> None:
        """Read the file, if there is one. Raise `ProfileError`."""
        self.path = path or profiles_path()
        self.current = DEFAULT
        self.known: dict[str, Profile] = {}
        try:
            with self.path.open("rb") as file:
                if os.fstat(file.fileno()).st_mode & _OTHERS:
                    raise ProfileError(
                        f"{self.path} holds tokens and others can read it: run `chmod 600 {self.path}`"
                    )
                self._load(json.load(file))
        except FileNotFoundError:
            return
        except OSError as why:
            raise ProfileError(f"{self.path} can't be read: {why.strerror}") from None
        except (ValueError, TypeError, KeyError, AttributeError) as why:
            if isinstance(why, ProfileError):
                raise
            raise ProfileError(f"{self.path} is damaged ({why}): repair it, or move it away") from None

    def get(self, name: str | None) -> Profile | None:
        """Return this profile, or without a name the current one, if any. Raise `ProfileError` for an unknown name."""
        if name is not None and name not in self.known:
            known = ", ".join(sorted(self.known)) or "none"
            raise ProfileError(f"there is no profile {name!r} (known: {known}): create it with `kozyr login`")
        return self.known.get(name or self.current)

    def save(self, name: str, profile: Profile) -> None:
        """Store a profile and make it the current one. Raise `ProfileError`."""
        self.known[name], self.current = profile, name
        self._write()

    def remove(self, name: str) -> None:
        """Forget a profile."""
        del self.known[name]
        if self.current == name:
            self.current = next(iter(self.known), DEFAULT)
        self._write()

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
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            # mkstemp creates the file with mode 0600.
            number, name = tempfile.mkstemp(dir=self.path.parent, prefix=".profiles-")
            with os.fdopen(number, "w") as file:
                file.write(text + "\n")
            Path(name).replace(self.path)
        except OSError as why:
            raise ProfileError(f"{self.path} can't be written: {why.strerror}") from None
