"""The client of the tools. Requests are repeated while the service is away; a move counts once all the same."""

from __future__ import annotations

from typing import Any, Final

import httpx

from kozyr_client import Client
from kozyr_client.http import RetryLater, check_status, retryable_errors

PATIENCE_S: Final = 10.0
"""How long a request is repeated, in seconds. A tool's call must end before its client gives up."""


class ToolService(Client):
    """A service and a bot's token. Safe to share between threads."""

    def __init__(self, url: str, token: str, language: str = "en", **more: Any) -> None:
        """`more` are arguments of `Client`, such as the `transport` to a service in this process."""
        super().__init__(url, token, **{"patience_s": PATIENCE_S, **more})
        self._http.headers["Accept-Language"] = language

    def turns_in_words(self) -> str:
        """Return the open turns in words, each with an empty line after it. Raise `KozyrError`."""
        backoff = self._backoff(self.patience_s)
        while True:
            try:
                with retryable_errors(known=self._known):
                    response: httpx.Response = self._http.get("/v1/turns", headers={"Accept": "text/plain"})
                    check_status(response, known=self._known)
                    return response.text
            except RetryLater as failure:
                self._sleep(self._pause(backoff, failure))
