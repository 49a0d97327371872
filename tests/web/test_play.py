"""People against bots by forms alone, guests, hidden cards, and matches from a position."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from typing import Any

import pytest

from engine.registry import GAMES
from records.match.loaded_match import LoadedMatch
from records.match.session import places
from records.verify import verify
from tests.api.conftest import ApiWorld
from tests.web.conftest import LANGUAGES, Elements, Visitor, play_on
from tests.web.test_leaks import signed_in
from tests.web.test_match import a_match, play
from web.languages import languages
from web.play import LEVELS, OPTION_VALUES, own_results


def start(visitor: Visitor, game: str = "durak", seats: int | None = None, **fields: Any) -> str:
    """Start a match by its form, and return its id."""
    count = seats or min(GAMES[game].seat_counts)
    fields = {"game": game, "seats": count, "level1": "greedy", **fields}
    found = visitor.send(f"/play?game={game}&seats={count}", "/play", fields)
    assert found.status_code == 303, found.text
    return str(found.headers["Location"]).rpartition("/")[2]


def buttons(page: str) -> list[str]:
    """Return the moves of the buttons on a page."""
    return [
        str(each["value"])
        for tag, each in Elements(page).found
        if tag == "button" and each.get("name") == "move"
    ]


def fields_of(page: str) -> dict[str, str]:
    """Return the hidden fields of the first form with moves."""
    form = page[page.index('class="play-live"') :]
    return dict(re.findall(r'name="(code|turn|deal)" value="(\w+)"', form[: form.index("<button")]))


def move_once(visitor: Visitor, match: str, which: int = 0) -> bool:
    """Send the form of a legal move. Return whether there was one."""
    page = visitor.page(f"/play/{match}")
    moves = buttons(page)
    if not moves:
        return False
    found = visitor.post(f"/play/{match}/moves", {**fields_of(page), "move": moves[which]})
    assert found.status_code == 303, found.text
    return True


@pytest.mark.parametrize("language", ["en", pytest.param("ru", marks=pytest.mark.ci)])
@pytest.mark.parametrize(
    "game", [pytest.param(game, marks=pytest.mark.ci) if game == "king" else game for game in GAMES]
)
def test_a_guest_plays_a_whole_match_by_forms(
    world: ApiWorld, visitor: Visitor, game: str, language: str
) -> None:
    visitor.language = language
    match = start(visitor, game)
    for _ in range(2000):
        if not move_once(visitor, match):
            break
    page = visitor.page(f"/play/{match}")
    assert f"/matches/{match}" in page
    record = world.client.get(f"/v1/matches/{match}/record").json
    assert record["ending"] == "rules"
    assert verify(record) == []
    assert record["seats"][0]["person"] is True
    assert (record["rated"], record["ladder"], record["group"]) == (False, None, None)


@pytest.mark.parametrize("seats", [4, 6])
def test_durak_is_played_in_teams(world: ApiWorld, visitor: Visitor, seats: int) -> None:
    match = start(visitor, "durak", seats, **{"option-teams": "true", "option-batch_attacks": "true"})
    assert move_once(visitor, match) or world.client.get(f"/v1/matches/{match}").json["status"] == "finished"
    view = world.client.get(f"/v1/matches/{match}").json
    assert view["options"]["teams"] is True
    assert view["options"]["batch_attacks"] is True


def test_an_owner_plays_in_person_and_every_list_says_so(world: ApiWorld, visitor: Visitor) -> None:
    owner = world.owner()
    anna = signed_in(world, owner)
    match = start(anna)
    seat = world.client.get(f"/v1/matches/{match}").json["seats"][0]
    assert seat["bot"] == f"{owner.name}/person"
    assert seat["person"] is True
    for path in ("/", "/matches", "/play"):
        page = anna.page(path)
        assert match in page
        assert "a person, not rated" in page
        assert f"/bots/{owner.name}/person" not in page
    for path in (f"/matches/{match}", f"/matches/{match}/embed", "/tv"):
        assert f"{owner.name} (person)" in html.unescape(anna.page(path))
    assert "<bdi>You</bdi>" in anna.page(f"/play/{match}")
    assert anna.send(f"/play/{match}", f"/play/{match}/resign").status_code == 303
    assert f"{owner.name} (person)" in html.unescape(anna.page(f"/matches/{match}/review"))


def test_only_the_person_sees_and_moves_its_seat(world: ApiWorld, visitor: Visitor) -> None:
    match = start(visitor)
    own = visitor.get(f"/play/{match}/frames")
    seen: dict[str, Any] = {}
    for frame in own.json["frames"]:
        assert "hands" not in frame.get("observation", {})
        seen |= frame.get("observation", {}) | frame.get("changes", {})
    assert len(seen["hand"]) >= 5
    public = {card for cards in (*seen["known"], *seen["pairs"]) for card in cards} | {seen["trump_card"]}
    secret = set(seen["hand"]) - public
    for stranger in (Visitor(world.app.test_client()), signed_in(world, world.owner())):
        found = stranger.get(f"/play/{match}")
        assert (found.status_code, found.headers["Location"]) == (303, f"/matches/{match}")
        assert stranger.get(f"/play/{match}/frames").status_code == 403
        for path in (f"/matches/{match}", f"/matches/{match}/embed", f"/v1/matches/{match}/frames", "/play"):
            kind = "application/json" if path.startswith("/v1/") else "text/html"
            found = stranger.get(path, headers={"Accept": kind})
            assert found.status_code == 200
            assert not [card for card in secret if re.search(rf"\b{card}\b", found.text)], path
        for action, fields in (("moves", {"turn": own.json["turn"] or 1, "move": "take"}), ("resign", {})):
            assert stranger.send("/play?game=durak", f"/play/{match}/{action}", fields).status_code == 403
    for found in (visitor.get(f"/play/{match}"), own):
        assert found.headers["Cache-Control"] == "no-store"


def test_no_token_moves_a_persons_seat(world: ApiWorld, visitor: Visitor) -> None:
    owner = world.owner()
    anna = signed_in(world, owner)
    match = start(anna)
    bot = world.bot(owner)
    assert bot("GET", "/v1/turns").json["turns"] == []
    for path, body in (("moves", {"turn": 1, "move": "take"}), ("resign", None)):
        assert bot("POST", f"/v1/matches/{match}/{path}", body).json["code"] == "not_your_match"
    assert owner("POST", "/v1/bots", {"name": "person"}).json["code"] == "name_taken"
    seats = [f"{owner.name}/person", "house/greedy"]
    assert owner("POST", "/v1/matches", {"game": "durak", "seats": seats}).json["code"] == "no_such_bot"


def test_frames_come_in_parts(world: ApiWorld, visitor: Visitor) -> None:
    match = start(visitor)
    visitor.send(f"/play/{match}", f"/play/{match}/resign")
    whole = visitor.get(f"/play/{match}/frames").json
    assert whole["over"]
    most = len(whole["frames"]) - 1
    part = visitor.get(f"/play/{match}/frames?limit={most}").json
    assert (len(part["frames"]), part["over"]) == (most, False)


def test_a_repeated_form_makes_the_move_once(world: ApiWorld, visitor: Visitor) -> None:
    match = start(visitor)
    page = visitor.page(f"/play/{match}")
    fields = {**fields_of(page), "move": buttons(page)[0]}
    json_wanted = {"Accept": "application/json"}
    first = visitor.post(f"/play/{match}/moves", fields, **json_wanted)
    again = visitor.post(f"/play/{match}/moves", fields, **json_wanted)
    assert (first.json["replayed"], again.json["replayed"]) == (False, True)


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_illegal_move_is_refused_with_the_reason(world: ApiWorld, visitor: Visitor, language: str) -> None:
    visitor.language = language
    match = start(visitor)
    fields = {**fields_of(visitor.page(f"/play/{match}")), "move": "attack 2C"}
    page = visitor.post(f"/play/{match}/moves", fields)
    assert page.status_code == 422
    assert 'role="alert"' in page.text
    assert buttons(page.text)
    response = visitor.post(f"/play/{match}/moves", fields, Accept="application/json")
    assert response.status_code == 422
    assert response.json["title"]


def test_a_page_that_waits_loads_the_match_again_also_after_a_refusal(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = start(visitor)
    monkeypatch.setattr(LoadedMatch, "asks", lambda *_: False)  # as if the bots took their time
    fresh = f'<meta http-equiv="refresh" content="3; url=/play/{match}">'
    assert fresh in visitor.page(f"/play/{match}")
    refused = visitor.send(f"/play/{match}", f"/play/{match}/moves", {"turn": 999, "move": "take"})
    assert refused.status_code == 409
    assert fresh in refused.text


def test_a_guest_has_few_matches_and_quick_opponents(world: ApiWorld, visitor: Visitor) -> None:
    for _ in range(3):
        start(visitor)
    refused = visitor.send("/play?game=durak", "/play", {"game": "durak", "seats": 2})
    assert refused.status_code == 409
    assert "You can't play more matches at a time" in html.unescape(refused.text)
    assert "maximum of matches" not in refused.text
    other = Visitor(world.app.test_client())
    assert 'value="search"' not in other.page("/play?game=durak")
    found = other.send("/play?game=durak", "/play", {"game": "durak", "seats": 2, "level1": "search"})
    assert found.status_code == 422


def test_a_persons_results_are_counted_by_game_and_level(world: ApiWorld, visitor: Visitor) -> None:
    assert "play-results" not in visitor.page("/play")
    expected: dict[str, list[int]] = {}
    for game in ("durak", "durak", "kryt"):
        match = start(visitor, game)
        play_on(world, match)
        view = world.client.get(f"/v1/matches/{match}").json
        total = expected.setdefault(game, [0, 0, 0])
        won = view["places"][0] == 1
        expected[game] = [total[0] + 1, total[1] + won, total[2] + view["scores"][0]]
    start(visitor)
    page = visitor.page("/play")
    rows = re.findall(r"<td>greedy</td>(.*)</tr>", page[page.index("play-results") :])
    shown = [re.findall(r'<td class="n">(.+?)</td>', row.replace("−", "-")) for row in rows]
    assert [list(map(int, row)) for row in shown] == [expected["durak"], expected["kryt"]]
    assert page.count(">Go on<") == 1
    hidden = visitor.page("/play?spoilers=no")
    assert re.findall(r"<td>greedy</td>(.*)</tr>", hidden[hidden.index("play-results") :]) == rows
    assert "play-results" not in Visitor(world.app.test_client()).page("/play")


def test_a_shared_first_place_is_a_win_for_people_as_for_bots() -> None:
    seats = [{"id": "person-o1", "bot": "anna/person"}, {"id": "house-greedy", "bot": "house/greedy"}]
    match = {"game": "durak", "seats": seats, "void": False, "scores": [0, 0]}
    for place, won in ((places([0, 0], []), 1), (places([0, 0], [1]), 1), (places([0, 0], [0]), 0)):
        assert [each.won for each in own_results([{**match, "places": place}], "person-o1")] == [won]


def test_a_rematch_has_the_same_table_with_everybody_a_seat_further_on(
    world: ApiWorld, visitor: Visitor
) -> None:
    match = start(visitor, "durak", 3, level1="random", **{"option-transfer": "true"})
    visitor.send(f"/play/{match}", f"/play/{match}/resign")
    again = visitor.send(f"/play/{match}", f"/play/{match}/again").location.rpartition("/")[2]
    before, after = (world.client.get(f"/v1/matches/{each}").json for each in (match, again))
    assert [seat["bot"] for seat in before["seats"]] == ["anonymous/person", "house/random", "house/greedy"]
    assert [seat["bot"] for seat in after["seats"]] == ["house/greedy", "anonymous/person", "house/random"]
    same = ("game", "options", "deals", "clock")
    assert [before[name] for name in same] == [after[name] for name in same]
    assert buttons(visitor.page(f"/play/{again}")) or "Waiting for" in visitor.page(f"/play/{again}")
    stranger = Visitor(world.app.test_client())
    assert stranger.send("/play?game=durak", f"/play/{match}/again").status_code == 403


def test_guests_need_open_registration(
    world: ApiWorld, visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(world.services, "limits", replace(world.services.limits, open_registration=False))
    assert "Only registered owners" in visitor.page("/play?game=durak")
    start(signed_in(world, world.owner()))


@pytest.mark.parametrize(
    "path", ["/play?game=chess", "/play?game=durak&seats=9", "/play?game=king&seats=x", "/play/nothing"]
)
def test_a_wrong_choice_gets_an_error_page(visitor: Visitor, path: str) -> None:
    assert visitor.get(path).status_code in (400, 404)


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"seats": 9}, 400),
        ({"level1": "grandmaster"}, 422),
        ({"option-attackers": "nobody"}, 422),
        ({"option-teams": "perhaps"}, 422),
        ({"option-teams": "true"}, 422),
        ({"deals": 99}, 400),
        ({"game": "chess"}, 400),
    ],
)
def test_a_wrong_form_creates_nothing(
    world: ApiWorld, visitor: Visitor, fields: dict[str, Any], status: int
) -> None:
    found = visitor.send("/play?game=durak", "/play", {"game": "durak", "seats": 2, **fields})
    assert found.status_code == status
    assert world.client.get("/v1/matches").json["matches"] == []


# From a position


def continued(visitor: Visitor, match: str, deal: int, move: int, seat: int = 0) -> Any:
    path = f"/matches/{match}/play-on"
    fields = {"deal": deal, "move": move, "seat": seat, **{f"level{each}": "random" for each in range(11)}}
    return visitor.send(f"{path}?deal={deal}&move={move}&seat={seat}", path, fields)


@pytest.mark.parametrize("language", ["en", pytest.param("ru", marks=pytest.mark.ci)])
@pytest.mark.parametrize("game", list(GAMES))
def test_a_person_plays_on_from_a_position(
    world: ApiWorld, visitor: Visitor, game: str, language: str
) -> None:
    visitor.language = language
    bot, old = a_match(world, game)
    play(bot, old)
    page = visitor.page(f"/matches/{old}?deal=1&move=3")
    assert f"/matches/{old}/play-on?deal=1&amp;move=3" in page
    found = continued(visitor, old, 1, 3, 1)
    assert found.status_code == 303, found.text
    match = found.headers["Location"].rpartition("/")[2]
    view = world.client.get(f"/v1/matches/{match}").json
    assert view["continues"] == {"match": old, "deal": 1, "move": 3}
    assert [seat.get("person", False) for seat in view["seats"]][:2] == [False, True]
    for path in (f"/matches/{match}", f"/play/{match}"):
        assert f"/matches/{old}?deal=1&amp;move=3" in visitor.page(path)
    visitor.send(f"/play/{match}", f"/play/{match}/resign")
    while world.services.referee.go_on(match, 1.0):
        pass
    record = world.client.get(f"/v1/matches/{match}/record").json
    assert verify(record) == []
    before = world.client.get(f"/v1/matches/{old}/record").json
    same = [(move["seat"], move["move"]) for move in before["moves"]][:4]
    assert [(move["seat"], move["move"]) for move in record["moves"]][:4] == same


@pytest.mark.parametrize("move", [0, 1, 5])
def test_the_seat_to_move_and_the_bots_of_the_match_are_preselected(
    world: ApiWorld, visitor: Visitor, move: int
) -> None:
    bot, old = a_match(world)
    play(bot, old)
    made = [
        each
        for each in world.client.get(f"/v1/matches/{old}/record").json["moves"]
        if each["seat"] is not None
    ]
    page = visitor.page(f"/matches/{old}/play-on?deal=1&move={move}")
    checked = [each["value"] for tag, each in Elements(page).found if tag == "input" and "checked" in each]
    assert checked == [str(made[move]["seat"])]
    levels = [each["value"] for tag, each in Elements(page).found if tag == "option" and "selected" in each]
    assert levels == ["greedy", "random"]
    assert 'value="0" checked' in visitor.page(f"/matches/{old}/play-on?deal=1&move={move}&seat=0")


@pytest.mark.parametrize(("language", "head"), [("en", "In the earlier match"), ("ru", "В прежнем матче")])
def test_the_page_compares_the_results_from_the_same_position(
    world: ApiWorld, visitor: Visitor, language: str, head: str
) -> None:
    visitor.language = language
    bot, old = a_match(world, deals=2)
    play(bot, old)
    match = continued(visitor, old, 1, 2, 1).headers["Location"].rpartition("/")[2]
    frames = f"/play/{match}/frames?after=9999"
    assert "before" not in visitor.get(frames).json
    visitor.send(f"/play/{match}", f"/play/{match}/resign")
    after_one = next(
        event["scores"]
        for event in world.client.get(f"/v1/matches/{old}/events").json["events"]
        if event["type"] == "deal_over"
    )
    shown = visitor.get(frames).json
    for path in (f"/play/{match}", f"/matches/{match}"):
        page = visitor.page(path)
        section = html.unescape(page[page.index('class="play-ways"') :].partition("</section>")[0])
        assert "hidden" not in section
        assert head in section
        assert f"/matches/{old}?deal=1&move=2" in section
        assert shown["before"] in section
        assert "hidden" in visitor.page(f"{path}?spoilers=no").partition('class="play-ways"')[2][:8]
        visitor.get(f"{path}?spoilers=yes")
    points = re.findall(r" (−?\d+)[,)]", shown["before"])
    assert sorted(int(each.replace("−", "-")) for each in points) == sorted(after_one)
    assert shown["now"] != shown["before"]


def test_only_a_readable_match_can_be_played_on(world: ApiWorld, visitor: Visitor) -> None:
    bot, match = a_match(world)
    assert visitor.get(f"/matches/{match}/play-on?deal=1&move=0").status_code == 409
    play(bot, match)
    for deal, move in ((2, 0), (1, 9999)):
        assert continued(visitor, match, deal, move).status_code == 422
    assert continued(visitor, match, 1, 0, 0).status_code == 303


# Words


def test_every_choice_has_russian_words() -> None:
    russian = languages()["ru"].messages
    titles = {
        schema["title"]
        for game in GAMES.values()
        for schema in game.option_schemas.values()
        if schema["type"] == "boolean" or "enum" in schema
    }
    for text in titles | set(LEVELS.values()) | set(OPTION_VALUES.values()):
        assert russian.gettext(text) != text
    values = {
        f"{name} {value}"
        for game in GAMES.values()
        for name, schema in game.option_schemas.items()
        for value in schema.get("enum", [])
        if name != "lowest_rank"
    }
    assert values == set(OPTION_VALUES)
