"""Real names of a class: an invitation asks for them, organisers of the class see them, and nobody else does."""

from __future__ import annotations

import csv
import re
from typing import NamedTuple

import pytest
from werkzeug.test import TestResponse

from tests.api.conftest import ApiWorld, Person, refused
from tests.support.stored import keys_that_contain
from tests.web.conftest import LANGUAGES, Visitor
from tests.web.test_leaks import signed_in
from tests.web.test_pages import well_formed

NAME = "=Anna Kuznetsova"
VARIABLE = re.compile("<(?:[^:>]+:)?([^>]+)>")


class SchoolClass(NamedTuple):
    """A pupil who gave a real name, and the ladders in which the pupil's bot plays."""

    teacher: Person
    pupil: Visitor
    bot: str
    ladder: str
    foreign: Person
    """Runs `other`, a ladder of nobody's class."""
    other: str
    match: str


def codes(world: ApiWorld, teacher: Person, count: int = 1) -> list[str]:
    body = {"count": count, "names_for": teacher.name}
    found: list[str] = world.admin()("POST", "/v1/invitations", body).json["invitations"]
    return found


@pytest.fixture
def school(world: ApiWorld) -> SchoolClass:
    teacher, foreign = world.owner(), world.owner()
    pupil = Visitor(world.app.test_client())
    (code,) = codes(world, teacher)
    fields = {"name": "anna", "invitation": code, "real_name": NAME}
    assert pupil.send(f"/sign-up?invitation={code}", "/sign-up", fields).status_code == 200
    assert pupil.send("/me", "/me/bots", {"name": "fool", "version": "1"}).status_code == 200
    ladders = []
    for owner in (teacher, foreign):
        address = world.ladder(owner, "house/greedy", "anna/fool", decks="independent")
        ladders.append(address.rpartition("/")[2])
    sent = pupil.send("/me/bots/fool", "/me/matches", {"bot": "fool", "game": "durak"})
    match = sent.headers["Location"].rpartition("/")[2]
    return SchoolClass(teacher, pupil, "anna/fool", ladders[0], foreign, ladders[1], match)


def pages_of(world: ApiWorld, school: SchoolClass) -> list[str]:
    """Return every address of the site and the API that can be read."""
    owner, bot = school.bot.split("/")
    found = []
    for rule in world.app.url_map.iter_rules():
        if "GET" not in (rule.methods or ()):
            continue
        for ladder in (school.ladder, school.other):
            known = {"owner": owner, "bot": bot, "name": bot, "match": school.match, "number": "1"}
            known |= {"ladder": ladder, "ladder_id": ladder, "game": "durak", "preset": "durak/2"}
            found.append(VARIABLE.sub(lambda each, known=known: known.get(each[1], "x"), rule.rule))  # type: ignore[misc]
    return sorted({*found, *(f"/ladders/{each}/screen?names=yes" for each in (school.ladder, school.other))})


def test_nobody_else_reads_a_real_name_anywhere(world: ApiWorld, school: SchoolClass) -> None:
    pupil_of_the_class = world.owner()
    readers = [Visitor(world.app.test_client())]
    readers += [signed_in(world, each) for each in (school.foreign, pupil_of_the_class, world.admin())]
    paths = pages_of(world, school)
    read = 0
    for path in paths:
        asked = path + ("&" if "?" in path else "?") + "seconds=0"
        for reader in readers:
            response = reader.get(asked)
            read += response.status_code == 200
            assert b"Kuznetsova" not in response.data, path
        if path.startswith("/v1/"):
            for person in (school.foreign, pupil_of_the_class, world.admin()):
                assert b"Kuznetsova" not in person("GET", asked).data, path
    assert read > 100
    refused(school.foreign("GET", f"/v1/ladders/{school.ladder}/names"), 403, "not_your_ladder")
    assert readers[1].get(f"/ladders/{school.ladder}/names.csv").status_code == 403
    (row,) = [
        each
        for each in school.foreign("GET", f"/v1/ladders/{school.other}/names").json["standings"]
        if each["bot"] == school.bot
    ]
    assert row["real_name"] == "", "the name was not given for this organiser"


def test_a_real_name_is_stored_in_one_place_and_forgotten(world: ApiWorld, school: SchoolClass) -> None:
    assert keys_that_contain(world.services.redis, "kuznetsova") == ["kozyr:{accounts}:owners"]
    world.admin()("POST", "/v1/owners/anna/forget", {"reason": "a request"})
    assert keys_that_contain(world.services.redis, "kuznetsova") == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_organisers_see_it_on_standings_in_csv_and_on_a_projector_that_asks(
    world: ApiWorld, school: SchoolClass, language: str
) -> None:
    helper = world.owner()
    school.teacher("PATCH", f"/v1/ladders/{school.ladder}", {"organisers": [helper.name]})
    path = f"/ladders/{school.ladder}"
    for organiser in (school.teacher, helper):
        visitor = signed_in(world, organiser)
        visitor.language = language
        page = visitor.page(path)
        well_formed(page, language)
        assert f"<bdi>{NAME}</bdi>" in page
        assert f"{path}/screen?names=yes" in page
        assert NAME not in visitor.page(f"{path}/screen")
        screen = visitor.page(f"{path}/screen?names=yes")
        assert f"<bdi>{NAME}</bdi>" in screen
        assert f'hx-get="{path}/screen?names=yes"' in screen, "it keeps them when it refreshes itself"
        answers = [visitor.page(f"{path}/names.csv")]
        answers.append(organiser("GET", f"/v1{path}/names?excel=1").text)
        for text in answers:
            rows = {row["bot"]: row for row in csv.DictReader(text.removeprefix("\ufeff").splitlines())}
            assert rows[school.bot]["real_name"] == f"'{NAME}", "no spreadsheet runs it"
            assert rows["house/greedy"]["real_name"] == ""


def test_a_session_reads_no_real_names_that_its_token_may_not_read(
    world: ApiWorld, school: SchoolClass
) -> None:
    path = f"/ladders/{school.ladder}"
    token = school.teacher("POST", "/v1/tokens", {"bot": None, "scopes": ["read", "challenge"]}).json["token"]
    reader = Visitor(world.app.test_client())
    assert reader.send("/sign-in", "/sign-in", {"token": token}).status_code == 303
    headers = {"Authorization": f"Bearer {token}"}
    refused(world.client.get(f"/v1{path}/names", headers=headers), 403, "scope_missing")
    assert reader.get(f"{path}/names.csv").status_code == 403
    for page in (path, f"{path}/screen?names=yes"):
        assert NAME not in reader.page(page)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_owner_reads_changes_and_deletes_it(world: ApiWorld, school: SchoolClass, language: str) -> None:
    school.pupil.language = language
    page = school.pupil.page("/me")
    well_formed(page, language)
    assert f'value="{NAME}"' in page
    for name in ("Anna K.", ""):
        assert school.pupil.send("/me", "/me/real-name", {"real_name": name}).status_code == 303
        assert f'id="real-name" name="real_name" value="{name}"' in school.pupil.page("/me")
        rows = school.teacher("GET", f"/v1/ladders/{school.ladder}/names").json["standings"]
        assert {row["real_name"] for row in rows} == {"", name}
    assert school.pupil.send("/me", "/me/real-name", {"real_name": "\x1b[1m"}).status_code == 422


def test_a_refused_change_of_one_name_leaves_the_other(world: ApiWorld) -> None:
    teacher = world.owner()
    body = {"name": "boris", "invitation": codes(world, teacher)[0], "real_name": "Boris"}
    headers = {"Authorization": f"Bearer {world.client.post('/v1/owners', json=body).json['token']}"}

    def change(name: str, real_name: str) -> TestResponse:
        return world.client.patch(
            "/v1/owners/me", headers=headers, json={"name": name, "real_name": real_name}
        )

    refused(change(teacher.name, "Ivan"), 409, "name_taken")
    refused(change("ivan", "\x1b[1m"), 422, "bad_value")
    me = world.client.get("/v1/owners/me", headers=headers).json["owner"]
    assert (me["name"], me["real_name"]) == ("boris", "Boris")
    changed = change("ivan", "Ivan").json
    assert (changed["name"], changed["real_name"]) == ("ivan", "Ivan")


@pytest.mark.parametrize("language", LANGUAGES)
def test_only_an_invitation_that_asks_takes_a_name(world: ApiWorld, visitor: Visitor, language: str) -> None:
    visitor.language = language
    teacher = world.owner()
    asks, silent = codes(world, teacher, 2)[0], world.admin()("POST", "/v1/invitations").json["invitation"]
    page = visitor.page(f"/sign-up?invitation={asks}")
    well_formed(page, language)
    assert teacher.name in page
    assert 'name="real_name"' not in visitor.page(f"/sign-up?invitation={silent}")
    assert 'name="real_name"' not in visitor.page("/sign-up?invitation=invite_nothing")
    for code in (silent, None):
        body = {"name": "boris", "invitation": code, "real_name": "Boris"}
        refused(world.client.post("/v1/owners", json=body), 422, "bad_value")
    body = {"name": "boris", "invitation": asks, "real_name": "Борис"}
    token = world.client.post("/v1/owners", json=body).json["token"]
    headers = {"Authorization": f"Bearer {token}"}
    me = world.client.get("/v1/owners/me", headers=headers).json["owner"]
    assert (me["real_name"], me["names_for"]) == ("Борис", teacher.name)
    changed = world.client.patch("/v1/owners/me", headers=headers, json={"real_name": ""}).json
    assert (changed["real_name"], changed["name"]) == ("", "boris")
    refused(teacher("PATCH", "/v1/owners/me", {"real_name": "Ivan"}), 422, "bad_value")
    assert 'name="real_name"' not in visitor.page(f"/sign-up?invitation={asks}"), "it was used"
    listed = {each["names_for"] for each in world.admin()("GET", "/v1/invitations").json["invitations"]}
    assert listed == {teacher.name, None}
    refused(world.admin()("POST", "/v1/invitations", {"names_for": "nobody-here"}), 404, "no_such_owner")
