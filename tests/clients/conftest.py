"""One live service for the tests of all clients."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.live import ALL, LiveService

STARTING_S = 180.0
"""A compiler may have the machine while the service starts."""


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveService]:
    """A live service, shared by the tests of all clients."""
    service = LiveService(tmp_path_factory.mktemp("clients"))
    try:
        for name in ALL:
            service.start(name, within=STARTING_S)
        yield service
    finally:
        service.close()
