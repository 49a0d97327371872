"""The requests of `kozyr ladder`. They return the API's JSON documents. Requests that create something have an
Idempotency-Key, so a retry after a lost response creates nothing twice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Final, NamedTuple

from kozyr_client import Client
from kozyr_client.http import api_path, without_none

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
    def playing(self) -> set[int]:
        """The numbers of the running rounds."""
        return {each["number"] for each in self.rounds if each["state"] == "running"}


class LadderClient:
    """A client for ladders. All methods raise `kozyr_client.KozyrError`."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def look_again_and_again(self) -> None:
        """Report an absent service at once instead of retrying, for callers that poll."""
        self._client.patience_s = 0.0

    def request(self, method: str, *parts: str, body: Mapping[str, Any] | None = None, **query: Any) -> Any:
        """Return the answer to a request below `/v1/ladders`. Query parameters that are `None` are left out."""
        body = None if body is None else dict(body)
        return self._client.request(
            method, api_path("ladders", *parts), body=body, params=without_none(**query)
        )

    def create(self, *parts: str, body: Mapping[str, Any] | None = None) -> Any:
        """Create something below `/v1/ladders`, once."""
        return self._client.create(api_path("ladders", *parts), body)

    def listed(self, *parts: str, field: str, most: int) -> list[Json]:
        """Return up to `most` entries of a list."""
        return list(islice(self._pages(api_path("ladders", *parts), field, most), most))

    def audit(self, ladder: str, most: int) -> list[Json]:
        """Return up to `most` entries of the audit log of a ladder, newest first."""
        return list(islice(self._pages(api_path("audit"), "entries", most, ladder=ladder), most))

    def change_match(self, match: str, change: str, reason: str) -> Json:
        """Return the answer to `void` or `rerun` of a match."""
        changed: Json = self._client.create(api_path("matches", match, change), {"reason": reason})
        return changed

    def table(self, ladder: str, season: int | None) -> str:
        """Return the address of the standings as CSV for spreadsheets."""
        address = f"{self._client.url}{api_path('ladders', ladder, 'standings')}?excel=1"
        return address + (f"&season={season}" if season else "")

    def standing(self, ladder: str, most: int, season: int | None = None) -> LadderView:
        """Return the ladder with the first `most` bots of the current or a given season."""
        rounds = self.request("GET", ladder, "rounds", limit=_ROUNDS)["rounds"]
        standings = self.request("GET", ladder, "standings", limit=most, season=season)
        return LadderView(
            self.request("GET", ladder),
            [each for each in rounds if each["state"] == "running"] or rounds[:1],
            standings["standings"],
            standings["cursor"] is not None,
            self.request("GET", ladder, "schedule"),
        )

    def _pages(self, path: str, field: str, most: int, **query: str) -> Iterator[Json]:
        params: Json = {**query, "limit": min(most, _PAGE)}
        while True:
            page = self._client.request("GET", path, params=params)
            yield from page[field]
            if page["cursor"] is None:
                return
            params["cursor"] = page["cursor"]
