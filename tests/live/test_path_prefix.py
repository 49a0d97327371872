"""The site behind nginx, which offers it below a path. All links, forms and streams stay below this path."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from html.parser import HTMLParser
from urllib.parse import urljoin, urlsplit

import httpx
import pytest

from engine.registry import GAMES
from tests.live.league import LiveLeague
from tests.support.live import LiveService
from tests.support.ports import free_port
from tests.support.waiting import eventually

pytestmark = [
    pytest.mark.ci,
    pytest.mark.live,
    pytest.mark.skipif(shutil.which("nginx") is None, reason="needs nginx on the PATH"),
]

PREFIX = "/games/kozyr"
ADDRESSES = frozenset(
    {"href", "src", "action", "formaction", "hx-get", "hx-post", "poster", "data-moves", "data-stream"}
)
"""The attributes that hold addresses."""
DATA = ("address", "source", "stream", "replay", "review")
"""The addresses in the data that `table.js` reads."""
CONFIGURATION = """
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    server {{
        listen 127.0.0.1:{port};
        location {prefix}/ {{
            proxy_pass {service}/;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            proxy_set_header Host $http_host;
            proxy_buffering off;
        }}
    }}
}}
"""


class PageAddresses(HTMLParser):
    """Collects the addresses of a page, and the actions of its forms."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: set[str] = set()
        self.actions: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ADDRESSES and value:
                is_sent = tag == "form" and ("method", "post") in attrs
                (self.actions if is_sent or name in ("data-moves", "formaction") else self.found).add(value)
            if name == "content" and value and "url=" in value:
                self.found.add(value.partition("url=")[2])
            if name == "data-table" and value:
                data = json.loads(value)
                self.found.update(data[each] for each in DATA if data.get(each))


class PrefixedSite:
    """A browser without scripts at the site below the path."""

    def __init__(self, url: str, http: httpx.Client) -> None:
        self.url, self.http = url, http

    def page(self, path: str) -> str:
        """Return a page that must be there."""
        found = self.http.get(self.url + path)
        assert found.status_code == 200, (path, found.text)
        return found.text

    def send(self, page: str, action: str, **fields: str) -> str:
        """Send the form with this action on this page, follow the redirection, and return where it led."""
        text = self.page(page)
        assert f"{PREFIX}{action}" in PageAddresses(text).actions
        code = re.search(r'name="code" value="(\w+)"', text)
        assert code
        answer = self.http.post(self.url + action, data={"code": code[1], **fields})
        assert answer.status_code == 200, (action, answer.text)
        return urlsplit(str(answer.url)).path.removeprefix(PREFIX)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveService]:
    folder = tmp_path_factory.mktemp("prefix")
    with LiveService(folder, settings={"KOZYR_PATH_PREFIX": PREFIX, "KOZYR_LOG_LEVEL": "warning"}) as running:
        yield running


@pytest.fixture(scope="module")
def nginx(service: LiveService, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of nginx."""
    folder, port = tmp_path_factory.mktemp("nginx"), free_port()
    file = folder / "nginx.conf"
    file.write_text(CONFIGURATION.format(folder=folder, port=port, prefix=PREFIX, service=service.url))
    log = folder / "error.log"
    process = subprocess.Popen(["nginx", "-p", str(folder), "-c", str(file), "-e", str(log)])
    try:
        address = f"http://127.0.0.1:{port}"
        eventually(lambda: serves(address), f"nginx serves; its log is {log}")
        yield address
    finally:
        process.terminate()
        process.wait(30)


def serves(address: str) -> bool:
    try:
        return httpx.get(f"{address}{PREFIX}/healthz", trust_env=False).status_code == 200
    except httpx.TransportError:
        return False


@pytest.fixture
def browser(nginx: str) -> Iterator[PrefixedSite]:
    headers = {"Accept": "text/html,*/*;q=0.8", "Accept-Language": "en"}
    with httpx.Client(trust_env=False, follow_redirects=True, headers=headers, timeout=60) as http:
        yield PrefixedSite(nginx + PREFIX, http)


def test_every_link_leads_to_a_page_below_the_path(service: LiveService, browser: PrefixedSite) -> None:
    league = LiveLeague(service, "walker")
    league.match([league.bot("running"), "house/random"])
    left = {"": f"{PREFIX}/"}
    for game, cls in GAMES.items():
        match = league.match(["house/random"] * cls.seat_counts[0], game=game)
        eventually(
            lambda match=match: league.get(f"/v1/matches/{match}", league.token)["status"] == "finished",
            "the match ends",
        )
        left[game] = f"{PREFIX}/matches/{match}"
    assert browser.send("/sign-in", "/sign-in", token=league.token, next="/me") == "/me"
    assert browser.send("/new-ladder", "/new-ladder", name="Cup", game="durak", seats="2", format="swiss", decks="",
                        repeats="1", move_s="5", bank_s="30", state="open").endswith("/manage")  # fmt: skip
    match_page = browser.send(
        "/play?game=durak&seats=2", "/play", game="durak", seats="2", level1="random", deals="1"
    )
    assert match_page.startswith("/play/")
    seen: set[str] = set()
    origin = browser.url.removesuffix(PREFIX)
    while left:
        _, path = left.popitem()
        seen.add(shape(path))
        kind, text = fetched(browser.http, origin + path)
        if kind == "text/html":
            parsed = PageAddresses(text)
            for address in parsed.found | parsed.actions:
                whole = urlsplit(urljoin(origin + path, address))
                if f"{whole.scheme}://{whole.netloc}" != origin:
                    assert whole.scheme == "https", (path, address)
                    continue
                assert whole.path.startswith(f"{PREFIX}/"), f"{path} has the address {address}"
                target = whole.path + (f"?{whole.query}" if whole.query else "")
                if address in parsed.found and shape(target) not in seen:
                    left[shape(target)] = target
    for part in (
        "/me",
        "/static/",
        "/v1/matches/",
        "/docs/",
        "/play/",
        "/ladders/",
        "/games/",
        "/bots/",
    ):
        assert any(path.startswith(PREFIX) and part in path for path in seen), part


def shape(path: str) -> str:
    """Return an address with a place for each id and number, since pages of one kind have the same links."""
    path, _, query = path.partition("?")
    path = re.sub(r"/[a-z2-9]{20,}|/\d+\b", "/*", path)
    return path + "?" + "&".join(sorted(part.partition("=")[0] for part in query.split("&")))


def fetched(http: httpx.Client, url: str) -> tuple[str, str]:
    """Return the type of what is at this address, and its text unless it is a stream. It must be there."""
    with http.stream("GET", url) as answer:
        assert answer.status_code == 200, (url, answer.status_code)
        kind = answer.headers["Content-Type"].partition(";")[0]
        if kind == "text/event-stream":
            return kind, next(answer.iter_text())
        return kind, answer.read().decode(errors="replace")


def test_cookies_and_redirections_stay_below_the_path(nginx: str, browser: PrefixedSite) -> None:
    refused = browser.http.get(browser.url + "/me", follow_redirects=False)
    assert refused.headers["Location"] == f"{PREFIX}/sign-in?next=/me"
    page = browser.page("/sign-up")
    code = re.search(r'name="code" value="(\w+)"', page)
    assert code
    made = browser.http.post(browser.url + "/sign-up", data={"code": code[1], "name": "below"})
    assert "kozyr_" in made.text
    assert {cookie.path for cookie in browser.http.cookies.jar} == {PREFIX}
    assert f'href="{PREFIX}/me"' in made.text
    assert browser.send("/me", "/sign-out") == "/"
