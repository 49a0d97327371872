"""The stream of what happens to a bot or an owner (server-sent events)."""

from __future__ import annotations

import json
from typing import Any, Literal

from kozyr_client.http import RetryLater, api_path, unreachable
from kozyr_client.turns import Json

Account = Literal["bot", "owner"]


class UpdateStream:
    """A stream that continues after the last event when it is opened again."""

    def __init__(self, account: Account, after: int | None, *, turns: bool) -> None:
        self.retry_s = 2.0
        """How long to wait before the stream is opened again."""
        self._account, self._after = account, after
        self._turns = turns
        self._lines: dict[str, str] = {}

    @property
    def call(self) -> dict[str, Any]:
        """The request that opens the stream."""
        self._lines.clear()
        params: dict[str, Any] = {}
        if self._account == "bot":
            params["turns"] = "true" if self._turns else "false"
        if self._after is not None:
            params["after"] = self._after
        headers = {"Accept": "text/event-stream"}
        return {
            "method": "GET",
            "url": api_path(self._account, "stream"),
            "params": params,
            "headers": headers,
        }

    def updates(self, line: str) -> list[Json]:
        """Return the update that a line completes. Raise `RetryLater` for one that is broken."""
        if line:
            name, _, value = line.partition(":")
            if name:
                self._lines[name] = value.removeprefix(" ")
            return []
        fields, self._lines = self._lines, {}
        try:
            self.retry_s = int(fields.get("retry", self.retry_s * 1000)) / 1000
            if "data" not in fields:
                return []
            number = int(fields["id"]) if "id" in fields else None
            update: Json = {"id": number, **json.loads(fields["data"])}
        except ValueError as error:
            raise RetryLater(unreachable(f"a broken message: {error}")) from error
        self._after = self._after if number is None else number
        return [update]
