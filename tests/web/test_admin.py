"""The operator's page: what it shows, and what an admin does there."""

from __future__ import annotations

import re

import pytest

from tests.api.conftest import ADMIN_TOKEN, JOBS, ApiWorld
from tests.web.conftest import LANGUAGES, Played, Visitor
from tests.web.test_join import signed_up, with_bot
from tests.web.test_pages import well_formed

ACTIONS = ("service", "announcement", "disabled", "forget", "void", "rerun")


@pytest.fixture
def admin(world: ApiWorld) -> Visitor:
    """A visitor who has signed in as an admin."""
    visitor = Visitor(world.app.test_client())
    sent = visitor.send("/sign-in", "/sign-in", {"token": ADMIN_TOKEN})
    assert (sent.status_code, sent.headers["Location"]) == (303, "/admin")
    return visitor


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_is_whole_in_both_languages(admin: Visitor, played: Played, language: str) -> None:
    admin.language = language
    for path in ("/admin", "/admin/log"):
        well_formed(admin.page(path), language)


def test_only_admins_see_and_use_the_page(world: ApiWorld, visitor: Visitor) -> None:
    owner = signed_up(world)
    for each in (owner, visitor):
        for path in ("/admin", "/admin/log"):
            assert each.get(path).location == f"/sign-in?next={path}"
    for action in ACTIONS:
        fields = {"name": "anna", "again": "anna", "reason": "x", "state": "paused"}
        assert owner.send("/me", f"/admin/{action}", fields).location == "/sign-in?next=/me"
    assert world.services.service.status().state == "running"
    assert owner.get("/me").status_code == 200


def test_every_form_needs_the_code_of_its_page(admin: Visitor) -> None:
    for action in ACTIONS:
        assert admin.post(f"/admin/{action}", {"name": "anna", "reason": "x"}).status_code == 403


def test_the_page_shows_who_is_online_and_whose_matches_wait(
    world: ApiWorld, admin: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(JOBS, "waiting", {"boris": 7, "anna": 3})
    anna, token = with_bot(world)
    assert "3 matches of yours wait for house bots." in anna.page("/me")
    assert "anna/fool" not in admin.page("/admin")
    world.client.get("/v1/turns", headers={"Authorization": f"Bearer {token}"})
    page = admin.page("/admin")
    assert "Bots online: 1" in page
    assert 'href="/bots/anna/fool"' in page
    assert re.search(r"<bdi>boris</bdi></th><td>single matches</td><td class=\"n\">7<", page)


def test_the_page_shows_the_errors_of_the_last_hour(world: ApiWorld, admin: Visitor) -> None:
    world.services.redis.one(
        *("XADD", "kozyr:{service}:errors", "1-1", "process", "api-0-a", "what", "long ago", "where", "")
    )
    world.services.errors.add("api-1-b", [("internal <b>error", "KeyError … in f"), ("x" * 9000, "")])
    page = admin.page("/admin")
    assert "internal &lt;b&gt;error" in page
    assert "KeyError … in f" in page
    assert ("long ago" in page, "x" * 501 in page) == (False, False)


def test_an_admin_forgets_an_owner_whose_name_is_typed_twice(world: ApiWorld, admin: Visitor) -> None:
    owner, _ = with_bot(world, "leokadia")
    fields = {"name": "leokadia", "again": "leokadia", "reason": "a request"}
    nobody = [({"name": name, "again": name}, 404) for name in ("nobody", "house", "")]
    for wrong, status in (({"again": "leokadi"}, 422), ({"reason": ""}, 422), *nobody):
        sent = admin.send("/admin", "/admin/forget", {**fields, **wrong})
        assert (sent.status_code, 'role="alert"' in sent.text) == (status, True)
    assert "leokadia/fool" in owner.page("/me")
    assert admin.send("/admin", "/admin/forget", fields).status_code == 303
    assert owner.get("/me").status_code == 303
    assert "leokadia" not in admin.page("/bots") + admin.page("/admin") + admin.page("/admin/log")
    assert "/bot-1" in admin.page("/bots")


def test_an_admin_closes_a_ladder_and_withdraws_a_bot_of_others(
    world: ApiWorld, admin: Visitor, played: Played
) -> None:
    address = f"/v1/ladders/{played.ladder}"
    named = {"ladder": f"http://localhost/ladders/{played.ladder}/", "reason": "its owner is away"}
    for action, fields, status in (
        ("withdraw", {"ladder": played.ladder, "bot": "house/random"}, 422),  # without a reason
        ("withdraw", {**named, "bot": "house/random"}, 303),
        ("ladder-state", {**named, "state": "none"}, 422),
        ("ladder-state", {**named, "ladder": "nowhere", "state": "open"}, 404),
        ("ladder-state", {**named, "state": "closing"}, 303),
    ):
        assert admin.send("/admin", f"/admin/{action}", fields).status_code == status, fields
    entries = world.client.get(f"{address}/entries").json["entries"]
    assert [each["bot"] for each in entries] == ["house/greedy"]
    assert world.client.get(address).json["state"] == "closed"
    audit = world.admin()("GET", f"/v1/audit?ladder={played.ladder}").json["entries"]
    done = [each["action"] for each in audit if each["outcome"] == "done"]
    assert done[:2] == ["ladder_state", "withdraw"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_page_shows_the_announcement_and_why_nothing_begins(
    admin: Visitor, visitor: Visitor, played: Played, language: str
) -> None:
    visitor.language = language
    pages = ("/", "/ladders", f"/ladders/{played.ladder}", f"/matches/{played.match}", "/nowhere", "/sign-up")
    assert not [page for page in pages if 'class="banner' in visitor.get(page).text]
    admin.send("/admin", "/admin/announcement", {"text": "Tonight <b>a new</b> disk.\nAt 9."})
    assert admin.send("/admin", "/admin/service", {"state": "stopped"}).status_code == 422
    admin.send("/admin", "/admin/service", {"state": "draining", "reason": "<i>first</i>"})
    assert "&lt;i&gt;first" in admin.page("/admin")
    for page in pages:
        banner = visitor.get(page).text.partition('class="banner')[2].partition("</aside>")[0]
        assert "Tonight &lt;b&gt;a new&lt;/b&gt; disk.\nAt 9." in banner
        assert "&lt;i&gt;first" in banner
    assert admin.send("/admin", "/admin/announcement", {"text": "x" * 501}).status_code == 422
    assert admin.send("/admin", "/admin/announcement", {"text": ""}).status_code == 303
    admin.send("/admin", "/admin/service", {"state": "running"})
    assert 'class="banner' not in visitor.page("/")


def test_a_bot_is_disabled_and_enabled_on_its_own_page(world: ApiWorld, admin: Visitor) -> None:
    owner, _ = with_bot(world)
    page = "/bots/anna/fool"
    assert "/admin/disabled" not in owner.page(page)
    assert "/admin/disabled" not in admin.page("/bots/house/greedy")
    fields = {"name": "anna/fool", "disabled": "1"}
    assert admin.send(page, "/admin/disabled", fields).status_code == 422
    sent = admin.send(page, "/admin/disabled", {**fields, "reason": "<i>floods</i>"})
    assert (sent.status_code, sent.location) == (303, page)
    assert "&lt;i&gt;floods" in admin.page(page)
    assert world.client.get(f"/v1{page}").json["disabled"] is True
    assert admin.send(page, "/admin/disabled", {"name": "anna/fool", "disabled": "0"}).status_code == 303
    assert world.client.get(f"/v1{page}").json["disabled"] is False
    assert (
        admin.send("/admin", "/admin/disabled", {**fields, "name": "anna", "reason": "x"}).status_code == 303
    )
    assert owner.get("/me").status_code == 303


def test_a_match_is_voided_and_played_again_on_its_own_page(
    world: ApiWorld, admin: Visitor, played: Played
) -> None:
    page, fields = f"/matches/{played.match}", {"match": played.match, "reason": "<b>a broken deck</b>"}
    assert "/admin/void" not in Visitor(world.app.test_client()).page(page)
    assert admin.send(page, "/admin/rerun", fields).status_code == 409
    assert admin.send(page, "/admin/void", {"match": played.match}).status_code == 422
    sent = admin.send(page, "/admin/void", fields)
    assert (sent.status_code, sent.location) == (303, page)
    assert world.client.get(f"/v1/matches/{played.match}").json["void"] is True
    again = admin.send(page, "/admin/rerun", fields)
    assert (again.status_code, again.location) == (303, f"/ladders/{played.ladder}/rounds/1")
    assert admin.page("/admin/log").count("&lt;b&gt;a broken deck") >= 2
