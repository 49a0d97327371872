"""The requests that the tools send. They are repeated while the service is away; a move counts once all the same."""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping
from typing import Any, Final, Self

import httpx

PATIENCE_S: Final = 10.0
"""How long a request is repeated, in seconds. A tool's call must end before its client gives up."""
PAUSE_S: Final = 0.5
TIMEOUT_S: Final = 10.0
"""How long a response may take beyond the wait that the request asks for, in seconds."""


class ServiceRefusal(Exception):
    """A problem document of the service."""

    def __init__(self, status: int, problem: Mapping[str, Any]) -> None:
        super().__init__(str(problem.get("title")))
        self.status, self.problem = status, problem
        self.code = str(problem.get("code"))


class ServiceAway(Exception):
    """The service does not answer."""


class ToolService:
    """A service and a bot's token. Safe to share between threads."""

    def __init__(
        self,
        url: str,
        token: str,
        language: str = "en",
        transport: httpx.BaseTransport | None = None,
        *,
        patience_s: float = PATIENCE_S,
        pause_s: float = PAUSE_S,
    ) -> None:
        """`transport`, `patience_s` and `pause_s` are for tests, and for a service in this process."""
        self._patience_s, self._pause_s = patience_s, pause_s
        headers = {"Authorization": f"Bearer {token}", "Accept-Language": language}
        self._http = httpx.Client(base_url=url, headers=headers, transport=transport, timeout=TIMEOUT_S)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._http.close()

    def json(self, method: str, path: str, body: Any = None, *, wait: float = 0.0) -> Any:
        """Return the JSON of a response, which may take `wait` seconds longer than others.

        Raise `ServiceRefusal` or `ServiceAway`.
        """
        return self._send(method, path, body, wait, {}).json()

    def create(self, path: str, body: Any) -> Any:
        """Create something once, however often the request has to be repeated."""
        return self._send("POST", path, body, 0.0, {"Idempotency-Key": secrets.token_hex(16)}).json()

    def text(self, path: str) -> str:
        """Return a response in words."""
        return self._send("GET", path, None, 0.0, {"Accept": "text/plain"}).text

    def _send(
        self, method: str, path: str, body: Any, wait: float, headers: Mapping[str, str]
    ) -> httpx.Response:
        until = time.monotonic() + self._patience_s
        while True:
            try:
                response = self._http.request(
                    method, path, json=body, headers=headers, timeout=wait + TIMEOUT_S
                )
            except httpx.TransportError as why:
                if time.monotonic() >= until:
                    raise ServiceAway(type(why).__name__) from why
            else:
                if response.is_success:
                    return response
                problem = _problem_of(response)
                if not problem.get("retryable") or time.monotonic() >= until:
                    raise ServiceRefusal(response.status_code, problem)
            time.sleep(self._pause_s)


def _problem_of(response: httpx.Response) -> dict[str, Any]:
    try:
        problem = response.json()
    except ValueError:
        problem = None
    if isinstance(problem, dict):
        return problem
    return {"code": f"http_{response.status_code}", "title": "The service gave no usable answer"}
