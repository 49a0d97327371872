"""The requests of `kozyr ladder`. They return the API's JSON documents. Requests that create something have an
Idempotency-Key, so a retry after a lost response creates nothing twice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Final, NamedTuple

from kozyr_client import Client
from kozyr_client.http import api_path

Json = dict[str, Any]

_PAGE: Final = 200
_ROUNDS: Final = 10
"""How many of the last rounds are fetched; rounds of an arena overlap."""


class LadderView(NamedTuple):
    """A ladder with its rounds and standings."""

    ladder: Json
    rounds: list[Json]
    """The running rounds, newest first, or the last round if none is running."""
    standings: list[Json]
    """The first lines of the standings."""
    more: bool
    """Whether the standings have more lines."""
    schedule: Json
    """The schedule of the next round and season."""

    @property
    def playing(self) -> list[Json]:
        """The running rounds."""
        return [each for each in self.rounds if each["state"] == "running"]

    def to_json(self) -> Json:
        """Return the document for `--json`."""
        return self._asdict()


class LadderClient:
    """A client for ladders. All methods raise `kozyr_client.KozyrError`."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def look_again_and_again(self) -> None:
        """Report an absent service at once instead of retrying, for callers that poll."""
        self._client.patience_s = 0.0

    def create(self, body: Mapping[str, Any]) -> Json:
        """Create a ladder."""
        return self._create("/v1/ladders", body)

    def ladders(self, most: int) -> list[Json]:
        """Return ladders, newest first."""
        return list(islice(self._pages("/v1/ladders", "ladders", most), most))

    def ladder(self, ladder: str) -> Json:
        """Return the ladder with this id."""
        return self._get(_of(ladder))

    def table(self, ladder: str, season: int | None) -> str:
        """Return the address of the standings as CSV for spreadsheets."""
        return f"{self._client.url}{_of(ladder, 'standings')}?excel=1" + (
            f"&season={season}" if season else ""
        )

    def change(self, ladder: str, body: Mapping[str, Any]) -> Json:
        """Change fields of the ladder and return it."""
        changed: Json = self._client.request("PATCH", _of(ladder), body=dict(body))
        return changed

    def void(self, ladder: str, match: str, reason: str) -> Json:
        """Void a match of the ladder and return it."""
        voided: Json = self._client.request(
            "POST", _of(ladder, "matches", match, "void"), body={"reason": reason}
        )
        return voided

    def freeze(self, ladder: str, since: str | None) -> Json:
        """Withhold results from an instant on, by default from now on, and return the ladder."""
        frozen: Json = self._client.request("POST", _of(ladder, "freeze"), body={"from": since})
        return frozen

    def release(self, ladder: str) -> Json:
        """Publish the results that are withheld, and return the ladder."""
        released: Json = self._client.request("POST", _of(ladder, "release"))
        return released

    def export(self, ladder: str, *, template: bool) -> Json:
        """Return the ladder as a file."""
        return self._get(_of(ladder, "export"), template="true" if template else "false")

    def import_(self, file: Mapping[str, Any]) -> Json:
        """Create a ladder from a file."""
        return self._create("/v1/ladders/import", file)

    def rerun(self, ladder: str, match: str, reason: str) -> Json:
        """Play a void match of the ladder again, and return what replaces it."""
        again: Json = self._client.request(
            "POST", _of(ladder, "matches", match, "rerun"), body={"reason": reason}
        )
        return again

    def correct(self, ladder: str, body: Mapping[str, Any]) -> Json:
        """Correct the result of a season and return the season."""
        season: Json = self._client.request("POST", _of(ladder, "corrections"), body=dict(body))
        return season

    def results(self, ladder: str, season: int) -> list[Json]:
        """Return the versions of the result of a season, newest first."""
        found: list[Json] = self._get(_of(ladder, "seasons", str(season), "results"))["versions"]
        return found

    def rules(self, ladder: str) -> list[Json]:
        """Return the invitations and bans of the ladder, by name."""
        found: list[Json] = self._get(_of(ladder, "access"))["rules"]
        return found

    def set_rule(self, ladder: str, name: str, rule: str | None, reason: str) -> None:
        """Invite or ban an owner or a bot, or remove its rule."""
        body = {"name": name, "rule": rule, "reason": reason}
        self._client.request("POST", _of(ladder, "access"), body=body)

    def real_names(self, ladder: str) -> list[Json]:
        """Return the standings of the ladder with the real names of the owners of its bots."""
        found: list[Json] = self._get(_of(ladder, "names"))["standings"]
        return found

    def enter(self, ladder: str, bot: str, entropy: str | None) -> Json:
        """Enter a bot and return its entry."""
        body = {"bot": bot, "entropy": entropy}
        entry: Json = self._client.request("POST", _of(ladder, "entries"), body=body)
        return entry

    def withdraw(self, ladder: str, bot: str) -> Json:
        """Withdraw a bot and return its entry."""
        owner, _, name = bot.partition("/")
        entry: Json = self._client.request("DELETE", _of(ladder, "entries", owner, name))
        return entry

    def start(self, ladder: str) -> Json:
        """Start a round now and return it."""
        return self._create(_of(ladder, "rounds"), None)

    def dry_run(self, ladder: str) -> Json:
        """Return the next round without starting it."""
        return self._get(_of(ladder, "rounds", "next"))

    def standing(self, ladder: str, most: int, season: int | None = None) -> LadderView:
        """Return the ladder with the first `most` bots of the current or a given season."""
        rounds = self._get(_of(ladder, "rounds"), limit=_ROUNDS)["rounds"]
        query = {"limit": most} | ({} if season is None else {"season": season})
        standings = self._get(_of(ladder, "standings"), **query)
        return LadderView(
            self.ladder(ladder),
            [each for each in rounds if each["state"] == "running"] or rounds[:1],
            standings["standings"],
            standings["cursor"] is not None,
            self.schedule(ladder),
        )

    def schedule(self, ladder: str) -> Json:
        """The schedule of the next round and season."""
        return self._get(_of(ladder, "schedule"))

    def bracket(self, ladder: str, season: int | None) -> Json:
        """Return the bracket of a knock-out."""
        return self._get(_of(ladder, "bracket"), **({} if season is None else {"season": season}))

    def seasons(self, ladder: str, most: int) -> list[Json]:
        """Return the seasons, newest first."""
        return list(islice(self._pages(_of(ladder, "seasons"), "seasons", most), most))

    def audit(self, ladder: str, most: int) -> list[Json]:
        """Return entries of the audit log, newest first."""
        return list(islice(self._pages(_of(ladder, "audit"), "entries", most), most))

    def end_season(self, ladder: str) -> Json:
        """End the current season and return the next."""
        return self._create(_of(ladder, "seasons"), None)

    def _create(self, path: str, body: Mapping[str, Any] | None) -> Json:
        made: Json = self._client.create(path, body)
        return made

    def _get(self, path: str, **query: Any) -> Json:
        found: Json = self._client.request("GET", path, params=query or None)
        return found

    def _pages(self, path: str, field: str, most: int) -> Iterator[Json]:
        cursor: str | None = None
        while True:
            query = {"limit": min(most, _PAGE)} | ({} if cursor is None else {"cursor": cursor})
            page = self._get(path, **query)
            yield from page[field]
            cursor = page["cursor"]
            if cursor is None:
                return


def _of(ladder: str, *parts: str) -> str:
    return api_path("ladders", ladder, *parts)
