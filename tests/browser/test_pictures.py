"""Pictures of the main pages: each is near the stored one. `make pictures` stores new ones."""

from __future__ import annotations

import os
import secrets
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from random import Random

import pytest
from PIL import Image, ImageChops
from playwright.sync_api import Browser, Page
from werkzeug.serving import make_server

from api.app import create_app
from bots.house import HOUSE_BOTS
from records.ids import use_buckets
from redisio.connection import Redis
from server.app import new_site, rules_text
from tests.api.conftest import ApiWorld, Person, compose
from tests.browser.conftest import WatchedPage
from tests.browser.test_play import ready
from tests.support.league import AtRandom, ServiceTime
from tests.web.conftest import Visitor
from web.site import install

STORED = Path(__file__).parent / "pictures"
README = Path(__file__).parents[2] / "docs" / "table.webp"
WRITES = bool(os.environ.get("WRITE_PICTURES"))
NOW_MS = 1_763_712_000_000
"""When everything in the pictures happens: 2025-11-21T08:00:00Z."""
AN_HOUR_S = 3600.0
"""So much time that no job ends early. Where jobs end decides in which order decks are drawn."""
DESKTOP, PHONE = (1280, 720), (390, 844)
PICTURES = [
    *((page, DESKTOP, "light") for page in ("home", "games", "match", "ladder", "bots", "me", "screen")),
    *((page, PHONE, "dark") for page in ("home", "match", "play", "ladder", "me")),
    ("play", PHONE, "light"),
]
BLUR = 4
MOST = 6.0
"""How far a picture may be from the stored one."""
USE_STYLE = """css => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  document.adoptedStyleSheets = [sheet];
}"""
STYLE = """
  :root { --sans: 'DejaVu Sans'; --mono: 'DejaVu Sans Mono'; }
"""
RESTLESS = "time, .mono, .kt-clock"
"""What is not the same in two runs."""


@dataclass(frozen=True)
class PicturedService:
    """A league that is the same in every run, and where its pages are."""

    address: str
    paths: dict[str, str]
    cookies: dict[str, str]


def play_rounds(world: ApiWorld, rng: Random, owner: Person, bots: list[str], **more: object) -> str:
    """Return a new ladder of these bots that has played two rounds."""
    rng.seed(str(more))
    body = {"game": "durak", "seats": 2, "decks": "rotated", "check": False, **more}
    ladder = str(owner("POST", "/v1/ladders", body).json["id"])
    for bot in bots:
        assert owner("POST", f"/v1/ladders/{ladder}/entries", {"bot": bot}).status_code == 200
    for number in (1, 2):
        rng.seed(number)
        round_ = world.services.rounds.start(ladder)
        while world.services.rounds.work(ladder, round_.number, AN_HOUR_S):
            pass
    return ladder


def furnish(world: ApiWorld, visitor: Visitor, rng: Random) -> dict[str, str]:
    """Play the matches of the pictures. Return the path of each page."""
    visitor.send("/sign-up", "/sign-up", {"name": "anna"})
    for bot in ("fool", "careful"):
        visitor.send("/me", "/me/bots", {"name": bot, "version": "1"})
    response = world.client.post("/v1/owners", json={"name": "school-21"})
    owner = Person(world.client, "school-21", response.json["token"])
    house = [f"house/{name}" for name in world.services.options.players]
    rng.seed("king")
    king = owner("POST", "/v1/matches", {"game": "king", "seats": house[:4]}).json["id"]
    while world.services.referee.go_on(king, AN_HOUR_S):
        pass
    play_rounds(world, rng, owner, house, name="King for four", game="king", seats=4)
    ladder = play_rounds(world, rng, owner, house, name="Autumn cup", repeats=2)
    for preset in world.services.ratings.store.presets():
        world.services.ratings.catch_up(preset)
    rng.seed("table 19")
    made = visitor.send("/play?game=durak&seats=3", "/play", {"game": "durak", "seats": "3", "deals": "1"})
    return {
        "home": "/",
        "games": "/games",
        "match": f"/matches/{king}",
        "play": made.headers["Location"],
        "ladder": f"/ladders/{ladder}",
        "bots": "/bots",
        "bot": "/bots/house/greedy",
        "me": "/me",
        "screen": f"/ladders/{ladder}/screen",
    }


@pytest.fixture(scope="module")
def place(redis_url: str) -> Iterator[PicturedService]:
    """The site with the same decks, names and moves in every run, before the tests of this module."""
    use_buckets(1)
    rng = Random(28)
    Redis(redis_url).run([("FLUSHALL",)])
    ServiceTime(Redis(redis_url), NOW_MS)
    players = {**HOUSE_BOTS, **{name: AtRandom(name) for name in ("bold", "idle", "swift", "timid")}}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(secrets, "token_bytes", rng.randbytes)
        patch.setattr(secrets, "choice", rng.choice)
        services = compose(redis_url, players=players, rng=rng)
        services.rules_text = rules_text
        app = create_app(services)
        install(app, new_site())
        services.referee.store.heartbeat()
        visitor = Visitor(app.test_client())
        paths = furnish(ApiWorld(app, services, app.test_client()), visitor, rng)
        cookies = [visitor.client.get_cookie(name) for name in ("kozyr_session", "kozyr_visitor")]
        server = make_server("127.0.0.1", 0, app, threaded=True)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        held = {cookie.key: cookie.value for cookie in cookies if cookie is not None}
        yield PicturedService(f"http://127.0.0.1:{server.server_port}", paths, held)
        server.shutdown()
        thread.join()


def picture(
    browser: Browser, place: PicturedService, page: str, size: tuple[int, int], theme: str
) -> Image.Image:
    """Return a picture of the upper part of a page, with nothing that moves."""
    context = browser.new_context(
        locale="en-GB",
        timezone_id="UTC",
        viewport={"width": size[0], "height": size[1]},
        color_scheme="dark" if theme == "dark" else "light",
        reduced_motion="reduce",
    )
    context.set_default_timeout(60_000)
    if page in ("me", "play"):
        context.add_cookies(
            [{"name": name, "value": value, "url": place.address} for name, value in place.cookies.items()]
        )
    tab = WatchedPage(context, place.address)
    opened = tab.open(place.paths[page])
    settle(opened, page)
    shot = opened.screenshot(mask=[opened.locator(RESTLESS)], mask_color="#808080")
    context.close()
    assert tab.troubles == []
    return Image.open(BytesIO(shot)).convert("RGB")


def settle(page: Page, name: str) -> None:
    """Wait until a page shows what it fetches after it has loaded, in the letters of all machines."""
    page.evaluate(USE_STYLE, STYLE)
    page.wait_for_load_state("networkidle")
    if name == "play":
        assert ready(page)


def difference(first: Image.Image, second: Image.Image) -> float:
    """Return how far two pictures are apart where they differ most, from 0 to 255.

    Both are blurred first, because browsers draw letters differently, and compared in 8 by 8 fields.
    """
    small = (first.width // BLUR, first.height // BLUR)
    blurred = [each.resize(small, Image.Resampling.BOX) for each in (first, second)]
    fields = ImageChops.difference(*blurred).convert("L").resize((8, 8), Image.Resampling.BOX)
    return float(fields.getextrema()[1])


@pytest.mark.ci
@pytest.mark.parametrize(("page", "size", "theme"), PICTURES)
def test_a_page_looks_like_its_stored_picture(
    browser: Browser, place: PicturedService, page: str, size: tuple[int, int], theme: str
) -> None:
    found = picture(browser, place, page, size, theme)
    file = STORED / f"{page}-{'phone' if size == PHONE else 'desktop'}-{theme}.webp"
    if WRITES:
        found.reduce(4 if size == DESKTOP else 2).save(file, quality=60)
    stored = Image.open(file).convert("RGB")
    assert difference(found.resize(stored.size, Image.Resampling.BOX), stored) <= MOST, file.name


@pytest.mark.ci
def test_the_readme_begins_with_a_table_as_it_looks(browser: Browser, place: PicturedService) -> None:
    assert (
        "(docs/table.webp)"
        in (README.parents[1] / "README.md").read_text(encoding="utf-8").partition("\n## ")[0]
    )
    found = picture(browser, place, "play", DESKTOP, "light")
    if WRITES:
        found.save(README, quality=80)
    small = [
        each.resize((320, 180), Image.Resampling.BOX) for each in (found, Image.open(README).convert("RGB"))
    ]
    assert difference(*small) <= MOST


def test_a_picture_without_its_cards_is_too_far_from_one_with_them() -> None:
    stored = Image.open(STORED / "play-phone-light.webp").convert("RGB")
    bare = stored.copy()
    hand = (0, int(stored.height * 0.7), stored.width, int(stored.height * 0.8))
    bare.paste("#1f5d42", hand)
    assert difference(bare, stored) > MOST
    assert difference(stored, stored) == 0.0
