"""A real Chromium at the site, served from this process.

The browser is the one that `KOZYR_TEST_CHROMIUM` names, or `chromium` in the `PATH`. Without one these tests are
skipped.
"""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from flask import Flask
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright
from werkzeug.serving import make_server

from api.services import Services
from tests.web.conftest import played, site, world

__all__ = ["played", "site", "world"]

VENDORED = Path(__file__).parent / "vendor"
AXE_LANGUAGES = ("en", pytest.param("ru", marks=pytest.mark.soak))
"""The languages in which axe reads pages that a test has led to a certain state. `make soak` adds the second one."""
_AXE = (VENDORED / "axe.min.js").read_text(encoding="utf-8")
_RUN_AXE = "async options => (await axe.run(options)).violations"
_UNBUILT = "kozyr-table[data-table]"
"""The card tables that are still to be built: `table.js` removes this attribute."""
CHROMIUM = os.environ.get("KOZYR_TEST_CHROMIUM") or shutil.which("chromium")


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Chromium without a window. While Playwright runs, this thread has an event loop, so other tests can't run one."""
    if CHROMIUM is None:
        pytest.skip("no browser: install chromium, or name one in KOZYR_TEST_CHROMIUM")
    expect.set_options(timeout=60_000)
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=CHROMIUM)
        yield launched
        launched.close()


@pytest.fixture(scope="session")
def address(site: tuple[Flask, Services]) -> Iterator[str]:
    """The address at which this process serves the site."""
    server = make_server("127.0.0.1", 0, site[0], threaded=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()


class WatchedPage:
    """A tab that notes script errors, refused resources and requests to other hosts."""

    def __init__(self, context: BrowserContext, address: str) -> None:
        self.address = address
        self.page: Page = context.new_page()
        self.troubles: list[str] = []
        self.page.on("pageerror", lambda error: self.troubles.append(f"script error: {error}"))
        self.page.on("console", self._hear)
        self.page.on("request", lambda request: self._look(request.url))

    def open(self, path: str) -> Page:
        """Load a page with its scripts and, if it has one, its card table."""
        self.page.goto(self.address + path)
        expect(self.page.locator(_UNBUILT)).to_have_count(0)
        return self.page

    def faults(self) -> list[str]:
        """Return what axe finds in the page, in one line each, and the poor contrasts in the dark."""
        self.page.evaluate(_AXE)
        light = self.page.evaluate(_RUN_AXE, {"resultTypes": ["violations"]})
        self.page.emulate_media(color_scheme="dark")
        dark = self.page.evaluate(_RUN_AXE, {"resultTypes": ["violations"], "runOnly": ["color-contrast"]})
        self.page.emulate_media(color_scheme="light")
        return [
            f"{each['id']}: {each['help']}: {node['html']}" for each in light + dark for node in each["nodes"]
        ]

    def _hear(self, message: Any) -> None:
        if message.type == "error":
            self.troubles.append(f"console: {message.text}")

    def _look(self, url: str) -> None:
        if urlsplit(url).scheme in ("http", "https") and not url.startswith(self.address):
            self.troubles.append(f"request to another host: {url}")


OpenTab = Callable[..., WatchedPage]


@pytest.fixture
def open_tab(browser: Browser, address: str) -> Iterator[OpenTab]:
    """A function that opens a tab of a new visitor. Without troubles at the end of the test."""
    tabs: list[WatchedPage] = []

    def opened(**options: Any) -> WatchedPage:
        context = browser.new_context(**options)
        context.set_default_timeout(60_000)
        tabs.append(WatchedPage(context, address))
        return tabs[-1]

    yield opened
    for tab in tabs:
        tab.page.context.close()
    assert [trouble for tab in tabs for trouble in tab.troubles] == []


@pytest.fixture
def tab(open_tab: OpenTab) -> WatchedPage:
    """A tab of a new visitor, on a desktop."""
    return open_tab(locale="en-GB", viewport={"width": 1280, "height": 900})
