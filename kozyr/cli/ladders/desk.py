"""What `kozyr ladder` asks of a service, as the API's own documents. What creates something has an idempotency key, so
that a lost answer makes nothing twice."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Final, NamedTuple
from urllib.parse import quote

from bots.client import Client

Json = dict[str, Any]

_PAGE: Final = 200
_ROUNDS: Final = 10
"""So many of the last rounds are looked at; rounds of an arena overlap."""


class LadderView(NamedTuple):
    """How a ladder stands."""

    ladder: Json
    rounds: list[Json]
    """Those under way, the last first; where none is, the last one."""
    standings: list[Json]
    """The first of them."""
    more: bool
    """Whether there are more."""
    schedule: Json
    """What comes next."""

    @property
    def playing(self) -> list[Json]:
        """The rounds under way."""
        return [each for each in self.rounds if each["state"] == "running"]

    def to_json(self) -> Json:
        """For a script."""
        return self._asdict()


class LadderClient:
    """See the module. Everything raises `bots.client.KozyrError`."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def look_again_and_again(self) -> None:
        """From now on what is away is told at once: whoever looks again and again need not wait for it."""
        self._client.patience_s = 0.0

    def create(self, body: Mapping[str, Any]) -> Json:
        """A new ladder."""
        return self._create("/v1/ladders", body)

    def ladders(self, most: int) -> list[Json]:
        """The youngest first."""
        return list(islice(self._pages("/v1/ladders", "ladders", most), most))

    def ladder(self, ladder: str) -> Json:
        """The ladder with this id."""
        return self._get(_of(ladder))

    def change(self, ladder: str, body: Mapping[str, Any]) -> Json:
        """The ladder with this changed."""
        changed: Json = self._client.request("PATCH", _of(ladder), body=dict(body))
        return changed

    def enter(self, ladder: str, bot: str, entropy: str | None) -> Json:
        """The entry of a bot, made or as it is."""
        body = {"bot": bot, "entropy": entropy}
        entry: Json = self._client.request("POST", _of(ladder, "entries"), body=body)
        return entry

    def withdraw(self, ladder: str, bot: str) -> Json:
        """The entry, withdrawn."""
        owner, _, name = bot.partition("/")
        entry: Json = self._client.request("DELETE", _of(ladder, "entries", owner, name))
        return entry

    def start(self, ladder: str) -> Json:
        """A round, now."""
        return self._create(_of(ladder, "rounds"), None)

    def dry_run(self, ladder: str) -> Json:
        """What the next round would be."""
        return self._get(_of(ladder, "rounds", "next"))

    def standing(self, ladder: str, most: int, season: int | None = None) -> LadderView:
        """How the ladder stands, with the first `most` bots; of the present season, or of this one."""
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
        """What comes next."""
        return self._get(_of(ladder, "schedule"))

    def bracket(self, ladder: str, season: int | None) -> Json:
        """The bracket of a knock-out."""
        return self._get(_of(ladder, "bracket"), **({} if season is None else {"season": season}))

    def seasons(self, ladder: str, most: int) -> list[Json]:
        """Its seasons, the last first."""
        return list(islice(self._pages(_of(ladder, "seasons"), "seasons", most), most))

    def end_season(self, ladder: str) -> Json:
        """The season that begins."""
        return self._create(_of(ladder, "seasons"), None)

    def _create(self, path: str, body: Mapping[str, Any] | None) -> Json:
        key = secrets.token_hex(16)
        made: Json = self._client.request("POST", path, body=None if body is None else dict(body), key=key)
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
    return "/v1/ladders/" + "/".join(quote(part, safe="") for part in (ladder, *parts))
