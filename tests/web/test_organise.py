"""The forms about the settings of a ladder."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from typing import Any

import pytest

from tests.api.conftest import ApiWorld
from tests.web.test_join import new_ladder, signed_up, with_bot


class Form(HTMLParser):
    """What a browser sends of the form with this action, if nobody touches it."""

    def __init__(self, page: str, action: str) -> None:
        super().__init__()
        self._action, self._inside, self._select = action, False, ""
        self.fields: dict[str, str] = {}
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if tag == "form":
            self._inside = found["action"] == self._action
        elif self._inside and tag == "input" and (found.get("type") != "checkbox" or "checked" in found):
            self.fields[found["name"] or ""] = found.get("value", "on" if "checked" in found else "") or ""
        elif self._inside and tag == "select":
            self._select = found["name"] or ""
        elif self._inside and tag == "option" and "selected" in found:
            self.fields[self._select] = found["value"] or ""


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"clock": {"move_ms": 500, "bank_ms": 1500, "increment_ms": 250, "grace_ms": 0, "strikes": 1}},
        {
            "options": {"lowest_rank": "2", "transfer": True},
            "decks": "independent",
            "deals": 7,
            "rated": False,
        },
        {"game": "king", "seats": 4},
        {"format": "swiss", "parameters": {"rounds": 7}},
        {"format": "versus", "parameters": {"low": 0.0, "high": 0.25}, "check": True},
        {"repeats": 3, "minimum_groups": 2, "start_ms": 90_500},
    ],
)
def test_a_form_that_nobody_touched_changes_nothing(world: ApiWorld, body: dict[str, Any]) -> None:
    teacher = signed_up(world)
    owner = world.owner()
    page = world.ladder(owner, **body).removeprefix("/v1")
    assert owner("PATCH", f"/v1{page}", {"organisers": ["anna"]}).status_code == 200
    before = world.client.get(f"/v1{page}").json
    fields = Form(teacher.page(f"{page}/manage"), f"{page}/play").fields
    assert {"game", "options", "deals", "strikes"} <= fields.keys()
    sent = teacher.post(f"{page}/play", fields)
    assert sent.status_code == 303, sent.text
    assert world.client.get(f"/v1{page}").json == before


def test_options_deals_and_all_of_the_clock_are_set_on_the_page(world: ApiWorld) -> None:
    teacher = signed_up(world)
    more = {"increment_s": "2", "grace_ms": "100", "strikes": "5"}
    page = f"/ladders/{new_ladder(teacher, options='lowest_rank=2 transfer=true', deals='9', **more)}"
    found = world.client.get(f"/v1{page}").json
    assert (found["options"]["lowest_rank"], found["deals"]) == ("2", 9)
    clock = {"move_ms": 5000, "bank_ms": 30_000, "increment_ms": 2000, "grace_ms": 100, "strikes": 5}
    assert found["clock"] == clock
    fields = Form(teacher.page(f"{page}/manage"), f"{page}/play").fields
    for wrong in ({"options": "lowest_rank=3"}, {"options": "nonsense=1"}, {"deals": "0"}, {"strikes": "x"}):
        sent = teacher.post(f"{page}/play", {**fields, **wrong})
        assert sent.status_code in (400, 422), wrong
        assert 'role="alert"' in sent.text
    assert world.client.get(f"/v1{page}").json == found
    other = {**fields, "game": "king", "seats": "4", "options": "", "deals": ""}
    assert teacher.post(f"{page}/play", other).status_code == 303
    assert world.client.get(f"/v1{page}").json["game"] == "king"


def test_a_ladder_is_copied_by_a_file_and_its_settings_alone_by_a_template(world: ApiWorld) -> None:
    teacher, student = signed_up(world), with_bot(world, "boris")[0]
    page = f"/ladders/{new_ladder(teacher)}"
    assert student.send(page, f"{page}/enter", {"bot": "boris/fool"}).status_code == 303
    manage = teacher.page(f"{page}/manage")
    files = [teacher.get(f"{page}/export.json{query}") for query in ("", "?template=1")]
    assert f"{page}/export.json?template=1" in manage
    assert [json.loads(each.text)["entries"] for each in files] == [["boris/fool"], []]
    assert student.get(f"{page}/export.json").status_code == 403
    copied = teacher.send("/new-ladder", "/import-ladder", {"file": files[1].text, "name": "Second"})
    assert copied.status_code == 303
    assert world.client.get("/v1" + copied.location.removesuffix("/manage")).json["name"] == "Second"
    file = json.loads(files[0].text)
    file["entries"].append("nobody/fool")
    sent = teacher.send("/new-ladder", "/import-ladder", {"file": json.dumps(file)})
    assert sent.status_code == 200
    note = re.search(r'<div class="note">.*?</div>', sent.text, re.DOTALL)
    assert note is not None
    assert "nobody/fool" in note[0]


def test_a_file_that_can_not_be_played_creates_nothing(world: ApiWorld) -> None:
    teacher = signed_up(world)
    settings = {"name": "Cup", "game": "durak", "seats": 2}
    wrong = [
        {"game": "poker"},
        {"seats": True},
        {"schedule": "sometimes"},
        {"parameters": {"rounds": "many"}},
    ]
    files = [json.dumps({"kozyr_ladder": 1, "settings": {**settings, **each}}) for each in wrong]
    for file in (*files, "{", "[]"):
        sent = teacher.send("/new-ladder", "/import-ladder", {"file": file})
        assert (sent.status_code in (400, 404, 422), 'role="alert"' in sent.text) == (True, True), file
    assert world.client.get("/v1/ladders").json["ladders"] == []


def test_an_organiser_sees_who_would_meet_where_others_do_not(world: ApiWorld) -> None:
    teacher, student = signed_up(world), signed_up(world, "boris")
    page = f"/ladders/{new_ladder(teacher, format='swiss', decks='rotated')}"
    for bot in ("house/greedy", "house/random"):
        assert teacher.send(f"{page}/manage", f"{page}/enter", {"bot": bot}).status_code == 303
    assert "Who would meet" in teacher.page(f"{page}/schedule")
    assert "Who would meet" not in student.page(f"{page}/schedule")
