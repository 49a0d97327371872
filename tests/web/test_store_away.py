"""While Redis is away or hangs, a page says so to people and asks for itself again."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from api.app import create_app
from server.app import new_site, rules_text
from tests.api.conftest import compose
from tests.support.redis_trouble import HarmedRedis
from tests.web.conftest import LANGUAGES, Elements, Visitor
from web.site import install


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HarmedRedis]:
    server = HarmedRedis(tmp_path_factory.mktemp("away") / "redis").start()
    yield server
    server.stop()


def visitor_of(server: HarmedRedis, timeout: float, language: str = "en") -> Visitor:
    """Return a visitor of an application of its own, which waits so long for Redis."""
    services = compose(server.url, timeout=timeout)
    services.rules_text = rules_text
    services.referee.store.heartbeat()
    app = create_app(services)
    install(app, new_site())
    return Visitor(app.test_client(), language)


@contextmanager
def hung(server: HarmedRedis) -> Iterator[None]:
    """Stop the server without closing its connections."""
    assert server.process is not None
    server.process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        server.process.send_signal(signal.SIGCONT)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_page_retries_until_the_store_is_back(server: HarmedRedis, language: str) -> None:
    visitor = visitor_of(server, 1.0, language)
    server.stop()
    away = visitor.get("/ladders")
    assert (away.status_code, away.mimetype) == (503, "text/html")
    metas = [attributes for tag, attributes in Elements(away.text).found if tag == "meta"]
    assert [each["content"] for each in metas if each.get("http-equiv") == "refresh"] == ["5"]
    assert {"en": "tries again every 5 s", "ru": "пробует снова каждые 5 с"}[language] in away.text
    sent = visitor.post("/sign-up", {"name": "example"})
    assert "http-equiv" not in sent.text, "a form is not sent again"
    server.start()
    assert visitor.get("/ladders").status_code == 200


def test_a_person_waits_less_long_than_a_program_for_a_redis_that_hangs(server: HarmedRedis) -> None:
    visitor, since = visitor_of(server, 40.0), time.monotonic()
    with hung(server):
        for path in ("/ladders", "/"):
            away = visitor.get(path)
            assert (away.status_code, away.mimetype) == (503, "text/html"), path
            assert "http-equiv" in away.text
        assert visitor.post("/sign-in", {"token": "x"}).status_code in (403, 503)
    assert time.monotonic() - since < 40, "one trip of a program would take as long"
    assert visitor.get("/ladders").status_code == 200


def test_a_program_does_not_wait_for_names_that_others_have_changed(server: HarmedRedis) -> None:
    client, since = visitor_of(server, 40.0).client, time.monotonic()
    with hung(server):
        assert client.get("/v1/games").status_code == 200
    assert time.monotonic() - since < 40, "one trip of a program would take as long"


def test_an_owner_sees_that_redis_is_away_and_stays_signed_in(server: HarmedRedis) -> None:
    visitor = visitor_of(server, 40.0)
    assert visitor.send("/sign-up", "/sign-up", {"name": "waiting-owner"}).status_code == 200
    with hung(server):
        away = visitor.get("/me")
        assert (away.status_code, away.mimetype) == (503, "text/html")
    assert "waiting-owner" in visitor.page("/me")
