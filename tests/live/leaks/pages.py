"""The pages of the site in twin worlds: every address, read by every kind of viewer.

Signed-in viewers and visitors have cookies of their own in each world, which the comparison knows by name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from flask import Flask

from league.watching.service import MOST_REQUESTS
from tests.live.leaks.viewer import ViewedTable
from tests.live.leaks.worlds import LiveWorld, SeenAnswer, TwinWorlds
from tests.support.waiting import eventually
from web.site import SUBJECTS

AS_BROWSER: Final = {"Accept": "text/html", "Host": "kozyr.test"}
FORM: Final = "application/x-www-form-urlencoded"

QUERIES: Final[Mapping[str, Sequence[str]]] = {
    "/matches": ("", "?bot={owner}/{name}", "?status=running", "?game={game_id}"),
    "/matches/<match>": ("", "?deal=1&move=2", "?deal=1&seat=0", "?lang=ru"),
    "/matches/<match>/embed": ("", "?deal=1&move=1"),
    "/matches/<match>/ending": ("", "?deal=1&move=1"),
    "/matches/<match>/play-on": ("", "?deal=1&move=1&seat=0"),
    "/matches/<match>/review": ("", "?moves=all"),
    "/play": ("", "?game={game_id}"),
    "/play/<match>": ("", "?deal=1&move=0"),
    "/play/<match>/frames": ("", "?after=1&limit=1"),
    "/tv": ("", "?game={game_id}"),
}
"""The queries with which a page is read. Pages that are not listed are read without one."""
FORMS: Final[Mapping[str, Sequence[str]]] = {
    "/friends/<table>/leave": ("",),
    "/friends/<table>/sit": ("name=Vera", "name=Vera&seat=1"),
    "/friends/<table>/start": ("",),
    "/matches/<match>/play-on": ("deal=1&move=1&seat=0&level=greedy",),
    "/matches/<match>/ending": ("deal=1&move=1&line=",),
    "/matches/<match>/review": ("",),
    "/matches/<match>/together": ("deal=1&move=1",),
    "/matches/<match>/together/<session>": ("deal=1&move=1",),
    "/play/<match>/again": ("",),
    "/play/<match>/hint": ("",),
    "/play/<match>/moves": (
        "turn=1&move=take",
        "turn=2&move=pass",
        "turn=9&move=no+move",
        "deal=1&move=take",
    ),
}
"""Bodies of the forms that concern a match. The service refuses each while the match runs."""
RANDOM: Final = "/puzzles/random"
"""A page that leads somewhere else each time. It reads no match."""
NO_MATCH_FORM: Final = re.compile(
    r"/(play|friends|sign-up|sign-in|sign-out|invitations|new-ladder|import-ladder)|/(me|ladders|admin|bots)/.*"
)
"""Addresses of forms that concern no running match, or that only admins may send."""
OWN_SEAT_FORM: Final = "/play/{match}/resign"
"""The form that ends the match for the person in a seat. Others may try it."""
_PARAMETER: Final = re.compile(r"<(?:[^<>]+:)?(\w+)>")


class Browser(NamedTuple):
    """A visitor with a cookie, by the names of what differs between the worlds."""

    cookie: str
    """The header of its requests."""
    code: str
    """The code of its forms."""


@lru_cache(maxsize=1)
def rules() -> Mapping[str, frozenset[str]]:
    """Return the methods of all pages by rule."""
    app = Flask("pages", static_folder=None)
    for subject in SUBJECTS:
        app.register_blueprint(subject.pages)
    found: dict[str, set[str]] = {}
    for rule in app.url_map.iter_rules():
        found.setdefault(rule.rule, set()).update(rule.methods or ())
    return {rule: frozenset(methods) for rule, methods in found.items()}


def parameters(rule: str) -> list[str]:
    """Return the names of the parameters of a rule."""
    return _PARAMETER.findall(rule)


def page_addresses(known: Mapping[str, str]) -> Iterator[str]:
    """Yield every address of a page, with each of its queries."""
    for rule, methods in rules().items():
        if "GET" in methods and rule != RANDOM:
            for query in QUERIES.get(rule, ("",)):
                yield _filled(rule, known) + query.format(**known)


def known_of(table: ViewedTable) -> Mapping[str, str]:
    """Return the values of the parameters of pages: those of the viewer's bot."""
    known = table.known()
    name = known["bot"] if table.play.viewer is None else table.bot_of(table.play.viewer).partition("/")[2]
    return {**known, "name": name, "game_id": known["game"], "ladder_id": known["ladder"]}


def visitor(worlds: TwinWorlds, name: str) -> Browser:
    """Return a browser without a session, which has been given the cookie of a visitor."""
    for world in worlds.both:
        found = world.ask("GET", "/sign-in", None, AS_BROWSER)
        world.learn(f"{name} cookie", _cookie(found, "kozyr_visitor"))
        world.learn(f"{name} code", _code(found))
    return Browser(f"kozyr_visitor=<{name} cookie>", f"<{name} code>")


def signed_in(worlds: TwinWorlds, name: str, token: str) -> Browser:
    """Return the browser of an owner who has signed in. `token` names the owner's token."""
    before = visitor(worlds, f"{name} before")
    for world in worlds.both:
        found = _post(world, "/sign-in", f"token={token}", before)
        assert found.status == 303, found.body
        world.learn(f"{name} cookie", _cookie(found, "kozyr_session"))
        headers = {**AS_BROWSER, "Cookie": f"kozyr_session=<{name} cookie>"}
        world.learn(f"{name} code", _code(world.ask("GET", "/me", None, headers)))
    return Browser(f"kozyr_session=<{name} cookie>", f"<{name} code>")


def post(worlds: TwinWorlds, path: str, fields: str, browser: Browser) -> list[SeenAnswer]:
    """Send a form in both worlds. The responses are not compared."""
    return [_post(world, path, fields, browser) for world in worlds.both]


def read_pages(worlds: TwinWorlds, known: Mapping[str, str], browsers: Sequence[Browser | None]) -> None:
    """Read every page as each of these viewers; `None` has no cookie. Raise `Leak` if the worlds differ."""
    for browser in browsers:
        more = {} if browser is None else {"Cookie": browser.cookie}
        for path in page_addresses(known):
            found = worlds.ask("GET", path, None, None, **AS_BROWSER, **more)
            assert found.status != 500, f"{path}: {found.body!r}"


def be_refused(worlds: TwinWorlds, known: Mapping[str, str], browsers: Sequence[Browser]) -> None:
    """Send the forms of a running match as viewers without a person's seat in it."""
    tries = [(rule, body) for rule, bodies in FORMS.items() for body in bodies]
    for browser in browsers:
        for rule, body in [*tries, (OWN_SEAT_FORM.replace("{match}", "<match>"), "")]:
            try_form(worlds, _filled(rule, known), body, browser)


def try_form(worlds: TwinWorlds, path: str, fields: str, browser: Browser) -> None:
    """Send a form that is refused, as a page and as a script sends it. Raise `Leak` if the worlds differ.

    Where only owners may send it, others are asked to sign in.
    """
    for accept in ("text/html", "application/json"):
        headers = {**AS_BROWSER, "Accept": accept, "Cookie": browser.cookie, "Content-Type": FORM}
        found = worlds.ask("POST", path, f"code={browser.code}&{fields}", None, **headers)
        to_sign_in = dict(found.headers).get("Location", "").startswith("/sign-in?")
        assert found.status >= 400 or to_sign_in, f"{path} {fields}: {found.status} {found.body!r}"


def log_requests(table: ViewedTable, owner: Browser) -> None:
    """Watch the viewer's bot until its whole log consists of requests that are the same in both worlds."""
    worlds, token, name = table.worlds, table.token, known_of(table)["name"]
    assert token is not None
    assert [each.status for each in post(worlds, f"/me/bots/{name}/watch", "", owner)] == [303, 303]
    page, headers = f"/me/bots/{name}/requests", {**AS_BROWSER, "Cookie": owner.cookie}

    def is_logged(target: str) -> bool:
        return all(target.encode() in world.ask("GET", page, None, headers).body for world in worlds.both)

    def has_begun() -> bool:
        worlds.tell("GET", "/v1/turns?wait=0", None, token)
        return is_logged("/v1/turns?wait=0")

    # Each process asks once a second which bots are watched, and then stores what it has logged.
    eventually(has_begun, "the bot is watched in both worlds")
    for _ in range(MOST_REQUESTS):
        worlds.tell("GET", "/v1/turns", None, token)
    worlds.ask("POST", f"/v1/matches/{table.match}/moves", {"turn": 1, "move": "no move"}, token)
    worlds.tell("POST", "/v1/turns", {"moves": []}, token)
    eventually(lambda: is_logged("POST /v1/turns"), "everything is stored")


def _post(world: LiveWorld, path: str, fields: str, browser: Browser) -> SeenAnswer:
    headers = {**AS_BROWSER, "Cookie": browser.cookie, "Content-Type": FORM}
    return world.ask("POST", path, f"code={browser.code}&{fields}", headers)


def _filled(rule: str, known: Mapping[str, str]) -> str:
    return _PARAMETER.sub(
        lambda found: {"table": "no-table", "session": "no-session", **known}[found[1]], rule
    )


def _cookie(found: SeenAnswer, name: str) -> str:
    """Return the text of a cookie that a response sets."""
    return next(
        text.partition("=")[2].partition(";")[0]
        for header, text in found.headers
        if header == "Set-Cookie" and text.startswith(f"{name}=")
    )


def _code(found: SeenAnswer) -> str:
    """Return the code of the forms of a page."""
    code = re.search(rb'name="code" value="(\w+)"', found.body)
    assert code is not None, found.body
    return code[1].decode()
