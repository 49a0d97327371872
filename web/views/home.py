"""The home page."""

from __future__ import annotations

from typing import Final

from web.pages import Pages, show

pages = Pages("site_home", __name__)
ENDPOINT: Final = "site_home.home_get"
"""Also answers `/`, for browsers."""


@pages.page("/home")
def home() -> str:
    """Show what the service is and where to go."""
    return show("home.html")
