"""Signing up and in, bots and tokens, checks, ladders and invitations, as a browser without scripts does it."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from api.limits.rates import Rates
from engine.registry import GAMES
from records.match.clock import PACES
from tests.api.conftest import ADMIN_TOKEN, ApiWorld, Person
from tests.web.conftest import Visitor

SECRET = re.compile(r'id="secret">(kozyr_\w+)<')


def signed_up(world: ApiWorld, name: str = "anna") -> Visitor:
    """Return a visitor who has signed up."""
    visitor = Visitor(world.app.test_client())
    assert SECRET.search(visitor.send("/sign-up", "/sign-up", {"name": name}).text)
    return visitor


def with_bot(world: ApiWorld, name: str = "anna") -> tuple[Visitor, str]:
    """Return a visitor with the bot `fool`, and the bot's token."""
    visitor = signed_up(world, name)
    shown = SECRET.search(visitor.send("/me", "/me/bots", {"name": "fool", "version": "1"}).text)
    assert shown is not None
    return visitor, shown[1]


def new_ladder(visitor: Visitor, **more: str) -> str:
    """Create a ladder and return its id."""
    fields = {
        "name": "Class",
        "game": "durak",
        "seats": "2",
        "format": "round_robin",
        "repeats": "1",
        "move_s": "5",
        "bank_s": "30",
        "schedule": "cron",
        "cron": "0 18 * * *",
        "timezone": "Asia/Vladivostok",
        "state": "running",
        "decks": "independent",
        **more,
    }
    sent = visitor.send("/new-ladder", "/new-ladder", fields)
    assert sent.status_code == 303, sent.text
    return sent.headers["Location"].split("/")[2]


def play_round(world: ApiWorld, visitor: Visitor, address: str) -> None:
    """Enter two house bots and play a round, by the forms of the organiser."""
    manage = f"{address}/manage"
    for bot in ("house/greedy", "house/random"):
        assert visitor.send(manage, f"{address}/enter", {"bot": bot}).status_code == 303
    assert visitor.send(manage, f"{address}/rounds").status_code == 303
    world.work(address, 1)


def test_signing_up_leads_to_a_bot_whose_token_plays(world: ApiWorld) -> None:
    visitor, token = with_bot(world)
    response = world.client.get("/v1/token", headers={"Authorization": f"Bearer {token}"})
    assert (response.json["name"], response.json["kind"]) == ("anna/fool", "bot")
    assert "anna/fool" in visitor.page("/me")
    assert "anna/fool" in visitor.page("/bots")


def test_an_owner_declares_the_model_of_a_bot(world: ApiWorld) -> None:
    visitor, _ = with_bot(world)
    fields = {"version": "1", "max_matches": "16", "model": "<b>x</b>", "effort": "high"}
    assert visitor.send("/me/bots/fool", "/me/bots/fool", fields).status_code == 303
    assert 'value="&lt;b&gt;x&lt;/b&gt;"' in visitor.page("/me/bots/fool")
    shown = Visitor(world.app.test_client()).page("/bots/anna/fool")
    assert "<bdi>&lt;b&gt;x&lt;/b&gt;</bdi> · <bdi>high</bdi> <span>(as declared by the owner)" in shown


def test_the_owner_token_is_shown_once_and_signs_in_elsewhere(world: ApiWorld) -> None:
    first = Visitor(world.app.test_client())
    shown = SECRET.search(first.send("/sign-up", "/sign-up", {"name": "boris"}).text)
    assert shown is not None
    assert shown[1] not in first.page("/me")
    other = Visitor(world.app.test_client())
    sent = other.send("/sign-in", "/sign-in", {"token": shown[1], "next": "/ladders"})
    assert (sent.status_code, sent.headers["Location"]) == (303, "/ladders")
    assert "boris" in other.page("/")


def test_the_cookie_holds_a_token_of_the_browser_that_signing_out_revokes(world: ApiWorld) -> None:
    visitor = Visitor(world.app.test_client())
    sent = visitor.send("/sign-up", "/sign-up", {"name": "clara"})
    (cookie,) = [text for text in sent.headers.getlist("Set-Cookie") if text.startswith("kozyr_session=")]
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    held = cookie.partition("=")[2].partition(";")[0]
    assert held not in sent.text
    bearer = {"Authorization": f"Bearer {held}"}
    assert world.client.get("/v1/token", headers=bearer).json["note"] == "browser"
    assert visitor.send("/me", "/sign-out").status_code == 303
    assert world.client.get("/v1/token", headers=bearer).status_code == 401
    assert visitor.get("/me").headers["Location"] == "/sign-in?next=/me"


def test_a_session_ends_with_the_token_that_signed_in(world: ApiWorld) -> None:
    owner = world.owner()
    reading = owner("POST", "/v1/tokens", {"bot": None, "scopes": ["read"]}).json
    visitor = Visitor(world.app.test_client())
    assert visitor.send("/sign-in", "/sign-in", {"token": reading["token"]}).status_code == 303
    assert visitor.get("/me").status_code == 200
    held = visitor.client.get_cookie("kozyr_session")
    assert held is not None
    other = Visitor(world.app.test_client())
    assert other.send("/sign-in", "/sign-in", {"token": held.value}).status_code == 403, (
        "a session begins none"
    )
    assert owner("DELETE", f"/v1/tokens/{reading['details']['id']}").status_code == 204
    assert visitor.get("/me").headers["Location"] == "/sign-in?next=/me"


def test_behind_tls_cookies_are_secure_and_bound_to_the_host(
    world: ApiWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(world.services, "behind_tls", True)
    sent = Visitor(world.app.test_client()).get("/sign-up")
    (cookie,) = sent.headers.getlist("Set-Cookie")
    assert cookie.startswith("__Host-kozyr_visitor=")
    assert "Secure" in cookie
    assert sent.headers["Strict-Transport-Security"] == "max-age=31536000"


@pytest.mark.parametrize(
    ("language", "agree"),
    [("en", "By signing up you agree."), ("ru", "Регистрируясь, вы соглашаетесь с этим.")],
)
def test_signing_up_says_that_records_are_public(world: ApiWorld, language: str, agree: str) -> None:
    page = Visitor(world.app.test_client(), language).get("/sign-up").text
    assert "CC0 1.0" in page
    assert agree in page


def test_a_wrong_token_does_not_sign_in(world: ApiWorld, visitor: Visitor) -> None:
    for token in ("", "kozyr_nonsense", "x" * 150, with_bot(world)[1]):
        sent = visitor.send("/sign-in", "/sign-in", {"token": token})
        assert sent.status_code == 403
        assert not [text for text in sent.headers.getlist("Set-Cookie") if "session" in text]


@pytest.mark.parametrize(
    "address", ["//evil.example", "https://evil.example", "/\\evil.example", "javascript:1"]
)
def test_signing_in_goes_on_to_pages_of_this_site_only(
    world: ApiWorld, visitor: Visitor, address: str
) -> None:
    sent = visitor.send("/sign-in", "/sign-in", {"token": world.owner().token, "next": address})
    assert sent.headers["Location"] == "/me"


def test_a_form_without_the_code_of_the_visitor_is_refused(world: ApiWorld) -> None:
    anna, eve = signed_up(world), signed_up(world, "eve")
    assert anna.post("/me/bots", {"name": "fool"}).status_code == 403
    code = re.search(r'name="code" value="(\w+)"', eve.page("/me"))
    assert code is not None
    assert anna.post("/me/bots", {"name": "fool", "code": code[1]}).status_code == 403
    assert "anna/fool" not in anna.page("/me")


@pytest.mark.parametrize(
    "header",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Origin": "https://evil.example"},
        {"Origin": "http://["},
        {"Origin": "null"},
    ],
)
def test_a_form_from_another_site_is_refused(world: ApiWorld, header: dict[str, str]) -> None:
    anna = signed_up(world)
    code = re.search(r'name="code" value="(\w+)"', anna.page("/me"))
    assert code is not None
    assert anna.post("/me/bots", {"name": "fool", "code": code[1]}, **header).status_code == 403


def test_a_form_for_an_owner_or_a_bot_that_is_sent_twice_shows_the_same_token(world: ApiWorld) -> None:
    """A browser shows only the second response to a double click."""
    visitor = Visitor(world.app.test_client())
    first, again = sent_twice(visitor, "/sign-up", "/sign-up", {"name": "anna"})
    assert first == again
    first, again = sent_twice(visitor, "/me", "/me/bots", {"name": "fool", "version": "1"})
    assert first == again
    assert visitor.send("/me", "/me/bots", {"name": "fool", "version": "1"}).status_code == 409, "a new page"
    assert visitor.send("/me", "/sign-out").status_code == 303
    assert visitor.send("/sign-up", "/sign-up", {"name": "anna"}).status_code == 409, "somebody else"


def sent_twice(visitor: Visitor, page: str, action: str, fields: dict[str, str]) -> list[str]:
    """Send a form of a page twice with the same cookies. Return the tokens that the responses show."""
    code, shown = re.search(r'name="code" value="(\w+)"', visitor.page(page)), []
    assert code is not None
    cookies = [visitor.client.get_cookie(name) for name in ("kozyr_visitor", "kozyr_session")]
    for _ in range(2):
        for cookie in cookies:
            if cookie is not None:
                visitor.client.set_cookie(cookie.key, cookie.value)
        if cookies[1] is None:
            visitor.client.delete_cookie("kozyr_session")
        found = SECRET.search(visitor.post(action, {"code": code[1], **fields}).text)
        assert found is not None
        shown.append(found[1])
    return shown


@pytest.mark.parametrize(
    "path",
    [
        "/me",
        "/me/bots/fool",
        "/ladders/a%0Ab/manage",
        "/ladders/a&b/manage",
        "/new-ladder?game=king&x=%D1%8F",
    ],
)
def test_private_pages_ask_for_signing_in_and_it_leads_back(visitor: Visitor, path: str) -> None:
    found = visitor.get(path)
    assert found.status_code == 303
    assert found.headers["Location"].startswith("/sign-in?next=")
    (back,) = parse_qs(urlsplit(found.headers["Location"]).query)["next"]
    assert unquote(back) == unquote(path)
    assert "Content-Security-Policy" in found.headers


def test_a_form_of_a_session_that_is_over_leads_to_signing_in(world: ApiWorld) -> None:
    visitor, _ = with_bot(world)
    page = visitor.page("/me")
    code = re.search(r'name="code" value="(\w+)"', page)
    assert code is not None
    held = visitor.client.get_cookie("kozyr_session")
    assert held is not None
    token = world.client.get("/v1/token", headers={"Authorization": f"Bearer {held.value}"}).json["id"]
    world.services.accounts.revoke(token)
    fields = {"code": code[1], "name": "another"}
    sent = visitor.post("/me/bots", fields, Referer="http://localhost/me?x=1")
    assert (sent.status_code, sent.headers["Location"]) == (303, "/sign-in?next=/me%3Fx%3D1")
    assert visitor.post("/me/bots", fields).status_code == 403, "the browser has forgotten the session"


def test_a_refused_form_keeps_what_was_typed(world: ApiWorld) -> None:
    visitor, _ = with_bot(world)
    wrong = {"name": "X", "game": "durak", "seats": "9", "move_s": "5"}
    sent = visitor.send("/new-ladder", "/new-ladder", wrong)
    assert (sent.status_code, 'value="X"' in sent.text) == (400, True)
    sent = visitor.send("/me", "/me/bots", {"name": "fool", "version": "7"})
    assert sent.status_code == 409
    assert "The name is taken" in sent.text
    assert 'value="fool"' in sent.text
    assert 'value="7"' in sent.text
    assert 'hreflang="ru"' not in sent.text, "a form has no address to link"


@pytest.mark.parametrize("game", GAMES)
def test_a_bot_plays_the_house_at_the_press_of_a_button(world: ApiWorld, game: str) -> None:
    visitor, token = with_bot(world)
    answer = visitor.send("/me/bots/fool", "/me/matches", {"bot": "fool", "game": game})
    assert answer.status_code == 303
    match = answer.headers["Location"].rpartition("/")[2]
    turns = world.client.get("/v1/turns", headers={"Authorization": f"Bearer {token}"})
    assert turns.status_code == 200
    found = world.client.get(f"/v1/matches/{match}").json
    others = {seat["bot"] for seat in found["seats"][1:]}
    assert (found["game"], found["seats"][0]["bot"], others) == (game, "anna/fool", {"house/greedy"})
    assert found["status"] == "running"
    policy = {"name": "fool", "version": "1", "description": "", "max_matches": "1"}
    assert visitor.send("/me/bots/fool", "/me/bots/fool", policy).status_code == 303
    for wrong, status in ((game, 409), ("chess", 400)):
        refusal = visitor.send("/me/bots/fool", "/me/matches", {"bot": "fool", "game": wrong})
        assert (refusal.status_code, 'role="alert"' in refusal.text) == (status, True)
    assert len(world.client.get("/v1/matches?bot=anna/fool").json["matches"]) == 1


def test_an_owner_changes_its_bot_and_its_tokens(world: ApiWorld) -> None:
    visitor, token = with_bot(world)
    fields = {"version": "2", "description": "<script>alert(1)</script>", "max_matches": "3"}
    assert visitor.send("/me/bots/fool", "/me/bots/fool", fields).status_code == 303
    page = visitor.page("/bots/anna/fool")
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    other = SECRET.search(visitor.send("/me/bots/fool", "/me/bots/fool/tokens", {"note": "second"}).text)
    assert other is not None
    assert "second" in visitor.page("/me/bots/fool")
    ident = world.client.get("/v1/token", headers={"Authorization": f"Bearer {token}"}).json["id"]
    assert visitor.send("/me/bots/fool", f"/me/tokens/{ident}/revoke").status_code == 303
    assert world.client.get("/v1/token", headers={"Authorization": f"Bearer {token}"}).status_code == 401


def test_an_owner_can_not_touch_bots_and_tokens_of_others(world: ApiWorld) -> None:
    (anna, token), eve = with_bot(world), signed_up(world, "eve")
    assert eve.get("/me/bots/fool").status_code == 404
    ident = world.client.get("/v1/token", headers={"Authorization": f"Bearer {token}"}).json["id"]
    assert eve.send("/me", f"/me/tokens/{ident}/revoke").status_code == 403
    assert eve.send("/me", f"/me/tokens/{ident}/rotate").status_code == 403
    assert ["Private statistics" in each.page("/bots/anna/fool") for each in (anna, eve)] == [True, False]


def test_private_times_of_a_game_are_told_apart_by_their_clocks(world: ApiWorld) -> None:
    visitor, token = with_bot(world)
    bot = Person(world.client, "anna/fool", token)
    for clock in ({"move_ms": 100, "bank_ms": 2500}, {"pace": "blitz"}):
        body = {"game": "durak", "seats": [bot.name, "house/random"], "clock": {**clock, "strikes": 1}}
        match = bot("POST", "/v1/matches", body).json["id"]
        bot.move(bot.turns()[0])
        assert bot("POST", f"/v1/matches/{match}/resign").status_code == 200
    page = visitor.page("/bots/anna/fool")
    for shown in ("0.1 s a move, 2.5 s in the bank", "1 s a move, 10 s in the bank"):
        assert shown in page


def test_a_check_starts_and_has_a_report_for_its_owner_alone(world: ApiWorld) -> None:
    visitor, _ = with_bot(world)
    sent = visitor.send("/me/bots/fool", "/me/bots/fool/checks", {"game": "durak"})
    assert sent.status_code == 303, sent.text
    report = sent.headers["Location"]
    assert "waiting for the bot" in visitor.page(report)
    assert signed_up(world, "eve").get(report).status_code == 403


def test_a_ladder_is_created_with_its_schedule_in_its_own_time_zone(world: ApiWorld) -> None:
    visitor = signed_up(world)
    ladder = new_ladder(visitor)
    page = visitor.page(f"/ladders/{ladder}/schedule")
    assert "18:00 Asia/Vladivostok" in page
    assert "each day at 18:00 Asia/Vladivostok" in visitor.page("/ladders")
    assert "Class" in visitor.page(f"/ladders/{ladder}/manage")
    other = new_ladder(visitor, pace="reasoning")
    assert world.client.get(f"/v1/ladders/{other}").json["clock"] == PACES["reasoning"].clock.to_json()


def test_the_schedule_form_changes_both_schedules_or_neither(world: ApiWorld) -> None:
    visitor = signed_up(world)
    ladder = new_ladder(visitor)
    manage, action = f"/ladders/{ladder}/manage", f"/ladders/{ladder}/schedule"
    before = world.client.get(f"/v1/ladders/{ladder}").json
    form = {"schedule": "cron", "cron": "0 9 * * *", "timezone": "UTC", "season_cron": "now and then"}
    assert visitor.send(manage, action, form).status_code == 422
    assert world.client.get(f"/v1/ladders/{ladder}").json == before
    assert visitor.send(manage, action, {**form, "season_cron": "@monthly"}).status_code == 303
    after = world.client.get(f"/v1/ladders/{ladder}").json
    assert (after["schedule"]["cron"], after["season_schedule"]["cron"]) == ("0 9 * * *", "@monthly")


def test_a_ladder_is_renamed_described_and_corrected(world: ApiWorld) -> None:
    visitor = signed_up(world)
    address = f"/ladders/{new_ladder(visitor)}"
    manage = f"{address}/manage"
    texts = {"name": "Autumn cup", "description": "First prize: <b>a cup</b>\r\nHave fun"}
    assert visitor.send(manage, f"{address}/about", texts).status_code == 303
    assert "Autumn cup" in (page := visitor.page(address))
    assert "&lt;b&gt;a cup&lt;/b&gt;\nHave fun" in page
    play = {"repeats": "1", "move_s": "7", "bank_s": "9", "parameters": "rounds=4"}
    first = {**play, "game": "durak", "seats": "2", "format": "swiss", "decks": "rotated", "rated": "on"}
    assert visitor.send(manage, f"{address}/play", first).status_code == 303
    found = world.client.get(f"/v1{address}").json
    assert (found["format"], found["parameters"], found["clock"]["move_ms"]) == ("swiss", {"rounds": 4}, 7000)
    play_round(world, visitor, address)
    assert 'name="format"' not in visitor.page(manage)
    sent = visitor.send(manage, f"{address}/play", {**first, "seats": "3"})
    assert (sent.status_code, "fixed since the first round" in sent.text) == (422, True)
    assert visitor.send(manage, f"{address}/play", {**play, "parameters": "rounds"}).status_code == 400


def test_standings_are_frozen_and_released(world: ApiWorld) -> None:
    visitor = signed_up(world)
    ladder = new_ladder(visitor, decks="rotated")
    manage, page = f"/ladders/{ladder}/manage", f"/ladders/{ladder}"
    assert visitor.send(manage, f"{page}/freeze", {"from": "2020-01-01T00:00:00Z"}).status_code == 422
    assert visitor.send(manage, f"{page}/freeze", {"from": "soon"}).status_code == 422
    assert visitor.send(manage, f"{page}/freeze").status_code == 303
    assert "withhold results" in visitor.page(page)
    assert visitor.send(manage, f"{page}/release").status_code == 303
    assert "withhold results" not in visitor.page(page)


def test_a_co_organiser_manages_a_ladder_and_voids_a_match(world: ApiWorld) -> None:
    owner, helper = signed_up(world), signed_up(world, "boris")
    ladder = new_ladder(owner)
    manage, page = f"/ladders/{ladder}/manage", f"/ladders/{ladder}"
    assert owner.send(manage, f"{page}/organisers", {"organisers": "boris\r\nnobody"}).status_code == 404
    assert helper.get(manage).status_code == 403
    assert owner.send(manage, f"{page}/organisers", {"organisers": "boris"}).status_code == 303
    assert "<bdi>anna</bdi>, <bdi>boris</bdi>" in owner.page(page)
    play_round(world, helper, page)
    match = world.client.get(f"/v1/matches?ladder={ladder}").json["matches"][0]["id"]
    fields = {"match": f"http://localhost/matches/{match}", "reason": "a wrong deck"}
    for wrong, status in (({"match": "m123"}, 404), ({"reason": " "}, 422)):
        assert helper.send(manage, f"{page}/void", {**fields, **wrong}).status_code == status
    assert helper.send(manage, f"{page}/void", fields).status_code == 303
    assert world.client.get(f"/v1/matches/{match}").json["void"] is True


def test_bots_enter_and_leave(world: ApiWorld) -> None:
    visitor, _ = with_bot(world)
    ladder = new_ladder(visitor)
    page = f"/ladders/{ladder}"
    assert visitor.send(page, f"{page}/enter", {"bot": "anna/fool"}).status_code == 303
    assert 'action="' + f'{page}/leave"' in visitor.page(page)
    assert visitor.send(page, f"{page}/leave", {"bot": "anna/fool"}).status_code == 303
    assert "withdrawn" not in visitor.page(page)
    assert signed_up(world, "eve").send("/me", f"{page}/enter", {"bot": "anna/fool"}).status_code == 403


def test_the_owner_runs_a_round_and_ends_the_season(world: ApiWorld) -> None:
    visitor = signed_up(world)
    address = f"/ladders/{new_ladder(visitor)}"
    manage = f"{address}/manage"
    assert visitor.send(manage, f"{address}/seasons").status_code == 409
    play_round(world, visitor, address)
    assert visitor.send(manage, f"{address}/seasons").status_code == 303
    assert "house/" in visitor.page(f"{address}/seasons")
    assert visitor.send(manage, f"{address}/state", {"state": "paused"}).status_code == 303
    assert visitor.send(manage, f"{address}/schedule", {"schedule": "hand"}).status_code == 303


def test_one_press_does_not_close_a_ladder_for_good(world: ApiWorld) -> None:
    visitor = signed_up(world)
    ladder = new_ladder(visitor)
    controls, closing = visitor.page(f"/ladders/{ladder}/manage").split("<details>")
    assert 'value="paused"' in controls
    assert "closing" not in controls
    assert 'value="closing"' in closing


def test_rules_say_who_enters_and_the_log_says_why(world: ApiWorld) -> None:
    teacher = signed_up(world)
    student, _ = with_bot(world, "boris")
    page = f"/ladders/{new_ladder(teacher)}"
    manage, ban = f"{page}/manage", {"names": "boris/fool", "rule": "banned", "reason": "<b>too slow</b>"}

    def enter() -> int:
        return student.send(page, f"{page}/enter", {"bot": "boris/fool"}).status_code

    for wrong in ({"names": "boris nobody"}, {"names": " "}, {"rule": "jailed"}, {"names": "house " * 101}):
        sent = teacher.send(manage, f"{page}/rules", {**ban, **wrong})
        assert (sent.status_code in (400, 404, 422), 'role="alert"' in sent.text) == (True, True)
    assert "too slow" not in teacher.page(manage)
    assert enter() == 303
    assert teacher.send(manage, f"{page}/rules", ban).status_code == 303
    assert "&lt;b&gt;too slow" in teacher.page(manage)
    assert enter() == 409
    assert "&lt;b&gt;too slow" in teacher.page(f"{page}/log")
    assert student.get(f"{page}/log").status_code == 403
    assert teacher.send(manage, f"{page}/rules", {"names": "boris/fool", "rule": ""}).status_code == 303
    assert enter() == 303
    assert teacher.send(manage, f"{page}/access", {"access": "invitation"}).status_code == 303
    assert student.send(page, f"{page}/leave", {"bot": "boris/fool"}).status_code == 303
    assert enter() == 409
    assert (
        teacher.send(manage, f"{page}/rules", {"names": "anna\r\nboris", "rule": "invited"}).status_code
        == 303
    )
    assert enter() == 303


def test_others_can_not_manage_a_ladder(world: ApiWorld) -> None:
    ladder = new_ladder(signed_up(world))
    eve = signed_up(world, "eve")
    assert eve.get(f"/ladders/{ladder}/manage").status_code == 403
    for action in (
        *("state", "schedule", "rounds", "seasons", "access", "rules", "about", "play", "organisers"),
        *("void", "rerun", "corrections", "freeze", "release"),
    ):
        assert eve.send("/me", f"/ladders/{ladder}/{action}").status_code == 403


def test_an_organiser_corrects_a_result_and_everybody_reads_why(world: ApiWorld) -> None:
    teacher = signed_up(world)
    page = f"/ladders/{new_ladder(teacher)}"
    manage, results = f"{page}/manage", f"{page}/seasons/1/results"
    play_round(world, teacher, page)
    assert "<table>" not in teacher.page(results)
    assert teacher.send(manage, f"{page}/seasons").status_code == 303
    assert results in teacher.page(f"{page}/seasons")
    fields = {"bot": "house/greedy", "season": "1", "action": "disqualify", "reason": "<b>it cheated</b>"}
    for wrong, status in (({"season": "3"}, 404), ({"reason": ""}, 422), ({}, 303)):
        assert teacher.page(results).count("<table>") == 1
        assert teacher.send(manage, f"{page}/corrections", {**fields, **wrong}).status_code == status
    shown = teacher.page(results)
    assert (shown.count("<table>"), shown.count("<s>")) == (2, 1)
    assert "&lt;b&gt;it cheated" in shown
    assert teacher.page(f"{page}?season=1").count("<s>") == 1


def test_a_bracket_names_no_winner_who_is_out_of_the_places(world: ApiWorld) -> None:
    teacher = signed_up(world)
    ladder = new_ladder(teacher, format="knock_out")
    page, manage = f"/ladders/{ladder}", f"/ladders/{ladder}/manage"
    for bot in ("house/greedy", "house/random"):
        world.services.ladders.enter(ladder, world.services.accounts.bot(*bot.split("/")))
    while (winner := world.services.rounds.bracket(ladder).winner) is None:
        number = world.services.rounds.start(ladder).number
        while world.services.rounds.work(ladder, number):
            pass
    assert "Winner:" in teacher.page(f"{page}/bracket")
    fields = {"bot": winner.name, "season": "1", "action": "disqualify", "reason": "it cheated"}
    assert teacher.send(manage, f"{page}/corrections", fields).status_code == 303
    assert "Winner:" not in teacher.page(f"{page}/bracket")


def test_invitations_have_names_pictures_and_a_list(world: ApiWorld, visitor: Visitor) -> None:
    assert visitor.send("/sign-in", "/sign-in", {"token": ADMIN_TOKEN}).headers["Location"] == "/admin"
    fields = {"count": "30", "names": "Anna\r\n\r\n<Boris>", "note": "class 7", "days": "14", "reason": "new"}
    sent = visitor.send("/invitations", "/invitations", fields)
    assert sent.text.count("invitation=invite_") == sent.text.count('src="data:image/svg+xml') == 2
    assert "&lt;Boris&gt;" in sent.text
    again = visitor.page("/invitations")
    assert ("class 7" in again, "invite_" in again) == (True, False)
    assert visitor.get("/invitations.csv").text.splitlines()[0].startswith("id,name,note,state")
    several = visitor.send("/invitations", "/invitations", {"count": "30", "days": "14", "reason": "class 7"})
    assert len(set(re.findall(r"invitation=invite_\w+", several.text))) == 30
    assert signed_up(world).get("/invitations.csv").status_code == 303


def test_pages_count_against_the_rate_limits_of_the_api(
    world: ApiWorld, visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = list[str]()
    monkeypatch.setattr(Rates, "count", lambda _, scope, *__: counted.append(scope))
    visitor.send("/sign-up", "/sign-up", {"name": "dora"})
    visitor.page("/me")
    assert counted == ["anonymous", "anonymous", "registrations", "requests"]


def test_an_owner_and_a_bot_are_renamed_and_old_addresses_redirect(world: ApiWorld) -> None:
    owner, _ = with_bot(world, "formerly")
    fields = {"version": "1", "max_matches": 4, "name": "wise"}
    assert owner.send("/me/bots/fool", "/me/bots/fool", fields).location == "/me/bots/wise"
    with_bot(world, "vera")
    assert owner.send("/me", "/me/name", {"name": "vera"}).status_code == 409
    assert owner.send("/me", "/me/name", {"name": "today"}).status_code == 303
    assert "today/wise" in owner.page("/me")
    for old in ("formerly/fool", "formerly/wise"):
        moved = owner.get(f"/bots/{old}")
        assert (moved.status_code, moved.location) == (303, "/bots/today/wise")
    assert owner.get("/bots/today/wise").status_code == 200
