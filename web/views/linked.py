"""What other programs read of the site: pictures for links, the manifest, and what crawlers ask for."""

from __future__ import annotations

from typing import Final
from xml.sax.saxutils import escape

import orjson
from flask import Response, request
from werkzeug.exceptions import NotFound

from api.services import services
from engine.registry import GAMES
from records.endings.sets import NAMES
from web.assets import assets
from web.pages import Pages
from web.preview import Fan, fans_of, png
from web.queries import at
from web.sample import sample_deal
from web.views.match import linked_place, look, table_text
from web.views.puzzles import asked_ending

pages = Pages("site_linked", __name__)

_LISTED: Final = 200
"""The most ladders, and the most bots, in the site map."""
_PERSONAL: Final = (
    "/me",
    "/admin",
    "/sign-in",
    "/sign-up",
    "/invitations",
    "/new-ladder",
    "/v1/",
    "/play/",
    "/friends/",
)
_ENDLESS: Final = ("/puzzles/random", "/puzzles/*?move=", "/matches/*/ending?")


@pages.page("/preview.png")
def site_preview() -> Response:
    """Return the picture for pages without a table."""
    return _picture(png("Podkidnoy Durak, Kryt', Svoi Kozyri, King", [Fan("", ["AS", "AH", "AD", "AC"])]))


@pages.page("/matches/<match>/preview.png")
def match_preview(match: str) -> Response:
    """Return the picture of the linked place of a match, as everybody may see it."""
    loaded = look(match)
    title = GAMES[loaded.config.game].title["en"]
    place = linked_place(loaded, table_text(loaded), request.args)
    if place is None:
        return _picture(png(title, []))
    names = [seat.bot if seat and not seat.person else "person" for seat in loaded.config.seats]
    where = f"{title}, deal {place.deal}, move {place.move}"
    return _picture(png(where, fans_of(names, place.frame.observation)))


@pages.page("/games/<game_id>/preview.png")
def game_preview(game_id: str) -> Response:
    """Return a picture of a game: the middle of its example deal."""
    if game_id not in GAMES:
        raise NotFound
    deal = sample_deal(game_id)
    frames = [each.observation for each in deal.frames if each.observation.get("hand_sizes") is not None]
    return _picture(png(GAMES[game_id].title["en"], fans_of(deal.seats, frames[len(frames) // 2])))


@pages.page("/puzzles/<name>/<int:number>/preview.png")
def puzzle_preview(name: str, number: int) -> Response:
    """Return a picture of a puzzle, with all hands."""
    ending = asked_ending(name, number)
    names = ["you" if seat == ending.seat else f"seat {seat}" for seat in range(ending.seats)]
    title = f"Find the only move: {GAMES[ending.game].title['en']}"
    return _picture(png(title, fans_of(names, ending.frames()[-1].observation)))


@pages.page("/robots.txt")
def robots() -> Response:
    """Tell crawlers what to leave alone: pages of one person, data, and answers to puzzles and endings."""
    lines = ["User-agent: *", *(f"Disallow: {at(path)}" for path in (*_PERSONAL, *_ENDLESS))]
    return Response("\n".join([*lines, f"Sitemap: {_origin()}/sitemap.xml", ""]), mimetype="text/plain")


@pages.page("/sitemap.xml")
def sitemap() -> Response:
    """List the pages that last: games, puzzles, ladders and bots."""
    ladders, _ = services().ladders.page(None, _LISTED)
    bots = services().accounts.bots(None, None, _LISTED).bots
    paths = ["/", "/play", "/puzzles", "/ladders", "/tv", "/matches", "/bots", "/games", "/help", "/dumps"]
    paths += [f"/games/{game}" for game in GAMES]
    paths += [f"/puzzles/{name}" for name in NAMES]
    paths += [f"/ladders/{ladder.id}" for ladder in ladders]
    paths += [f"/bots/{bot.full_name}" for bot in bots]
    listed = "".join(f"<url><loc>{escape(_origin() + path)}</loc></url>" for path in paths)
    head = '<?xml version="1.0" encoding="UTF-8"?>'
    text = f'{head}<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{listed}</urlset>'
    return Response(text, mimetype="application/xml")


@pages.page("/site.webmanifest")
def manifest() -> Response:
    """Describe the site to a phone that keeps it on its home screen (W3C Web Application Manifest)."""
    icon = {"src": at(assets().address("icon.svg")), "type": "image/svg+xml", "sizes": "any"}
    described = {
        "name": "Kozyr",
        "short_name": "Kozyr",
        "start_url": at("/"),
        "display": "browser",
        "icons": [icon],
    }
    return Response(orjson.dumps(described), mimetype="application/manifest+json")


def _picture(data: bytes) -> Response:
    response = Response(data, mimetype="image/png")
    response.headers["Cache-Control"] = "public, max-age=3600"
    return response


def _origin() -> str:
    return request.url_root.rstrip("/")
