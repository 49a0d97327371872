"""The Python client under the name that it had before it became the package `kozyr-client`."""

from __future__ import annotations

from kozyr_client import AsyncClient, Client, Finished, KozyrError, MoveRefused, Turn, retry_after

__all__ = ["AsyncClient", "Client", "Finished", "KozyrError", "MoveRefused", "Turn", "retry_after"]
