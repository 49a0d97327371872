"""While Redis is away, a page says so to people and asks for itself again."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from api.app import create_app
from server.app import rules_text
from server.site import site_of
from tests.api.conftest import compose
from tests.support.redis_trouble import HarmedRedis
from tests.web.conftest import LANGUAGES, Elements, Visitor
from web.site import install


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HarmedRedis]:
    server = HarmedRedis(tmp_path_factory.mktemp("away") / "redis").start()
    yield server
    server.stop()


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_page_retries_until_the_store_is_back(server: HarmedRedis, language: str) -> None:
    services = compose(server.url, timeout=1.0)
    services.rules_text = rules_text
    services.referee.store.heartbeat()
    app = create_app(services)
    install(app, site_of(services))
    visitor = Visitor(app.test_client(), language)
    server.stop()
    away = visitor.get("/ladders")
    assert (away.status_code, away.mimetype) == (503, "text/html")
    metas = [attributes for tag, attributes in Elements(away.text).found if tag == "meta"]
    assert [each["content"] for each in metas if each.get("http-equiv") == "refresh"] == ["5"]
    assert {"en": "tries again every 5 s", "ru": "пробует снова каждые 5 с"}[language] in away.text
    sent = visitor.post("/sign-up", {"name": "example"})
    assert "http-equiv" not in sent.text, "a form is not sent again"
    server.start()
    services.referee.store.heartbeat()
    assert visitor.get("/ladders").status_code == 200
