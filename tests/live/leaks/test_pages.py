"""Hidden cards change no page, file or open stream of the live site, for viewers of every kind."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import Any

import pytest

from engine.match import deck_text
from server.app import build_app
from tests.live.leaks.groups import Company, casual_group, end_in_one_world, play_differently
from tests.live.leaks.pages import (
    AS_BROWSER,
    FORMS,
    NO_MATCH_FORM,
    OWN_SEAT_FORM,
    QUERIES,
    Browser,
    be_refused,
    known_of,
    log_requests,
    parameters,
    post,
    read_pages,
    rules,
    signed_in,
    try_form,
    visitor,
)
from tests.live.leaks.plays import twins
from tests.live.leaks.viewer import STREAMS, ViewedTable
from tests.live.leaks.worlds import Leak, LiveWorld, TwinWorlds
from tests.support.rigged_process import NO_ENTROPY
from tests.support.waiting import eventually

pytestmark = [pytest.mark.ci, pytest.mark.live]

TABLES: list[Any] = [
    pytest.param("durak", 2, 0, {}, marks=pytest.mark.soak),
    ("durak", 3, None, {"batch_attacks": True}),
    pytest.param("kryt", 3, 1, {}, marks=pytest.mark.soak),
    pytest.param("svoi_kozyri", 2, 0, {"layout": "besikovich"}, marks=pytest.mark.soak),
    ("king", 4, 2, {}),
]
NOTHING_ELSE = {
    "name": "none",
    "game_id": "durak",
    "group": "gnosuchgroup00000",
    "ladder_id": "lnosuchladder0000",
    "number": "1",
}
ELSEWHERE = re.compile(r"/docs.*|/llms\.txt|/skills/.*|/static/.*|/|/mcp")
"""Addresses without anything of a match. `/` is the page `/home`. `/mcp` tells a bot's own turns, made of the same
views, and has no description in the document (`tests/api/test_mcp.py`)."""


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TwinWorlds]:
    with TwinWorlds(tmp_path_factory.mktemp("pages")) as both:
        yield both


def table_of(
    worlds: TwinWorlds, name: str, game: str, seats: int, viewer: int | None, options: dict[str, Any]
) -> ViewedTable:
    """Return a running twin match with a few moves."""
    table = ViewedTable(worlds, twins(game, seats, viewer, name, options, most=8), name)
    table.sit_down()
    return table


@pytest.mark.parametrize(("game", "seats", "viewer", "options"), TABLES)
def test_cards_hidden_from_a_viewer_change_no_page(
    worlds: TwinWorlds, game: str, seats: int, viewer: int | None, options: dict[str, Any]
) -> None:
    name = f"pages-{game.replace('_', '-')}-{seats}"
    table = table_of(worlds, name, game, seats, viewer, options)
    outside = signed_in(worlds, f"{name} rival", table.rival)
    stranger = visitor(worlds, f"{name} visitor")
    viewers: list[Browser | None] = [None, stranger, outside]
    table.play_on()
    if viewer is not None:
        owner = signed_in(worlds, f"{name} owner", table.owner)
        log_requests(table, owner)
        viewers.append(owner)
    worlds.begin_anew()
    read_pages(worlds, known_of(table), viewers)
    be_refused(worlds, known_of(table), [each for each in viewers if each is not None])
    worlds.check_metrics()
    worlds.check_logs()
    worlds.check_secrets([world.behind(table.match).secret.hex() for world in worlds.both])


def test_a_hand_that_a_page_shows_is_detected(worlds: TwinWorlds) -> None:
    """The owner of all bots at a table downloads what another seat saw."""
    play = twins(
        "durak",
        2,
        0,
        "detected",
        {},
        most=0,
        wanted=lambda one, other: one.deal.hands[1] != other.deal.hands[1],
    )
    table = ViewedTable(worlds, play, "pages-detected")
    table.sit_down()
    owner = signed_in(worlds, "pages-detected owner", table.owner)
    with pytest.raises(Leak, match=r"bot-1/matches"):
        read_pages(worlds, {**known_of(table), "name": "bot-1"}, [owner])


def test_cards_hidden_from_a_person_change_no_page(worlds: TwinWorlds) -> None:
    worlds.pass_time()  # matches of one instant are listed in any order
    play = twins("durak", 2, 0, "person", {}, most=0, house=[1], wanted=lambda one, _: one.to_move == 0)
    worlds.write_decks(NO_ENTROPY, play.decks)
    person = visitor(worlds, "person")
    fields = "game=durak&seats=2&level1=greedy&deals=1"
    for world, sent in zip(worlds.both, post(worlds, "/play", fields, person), strict=True):
        assert sent.status == 303, sent.body
        world.learn("person match", dict(sent.headers)["Location"].rpartition("/")[2])
        (world.rig / f"{NO_ENTROPY}.json").unlink()
    for world, decks in zip(worlds.both, play.decks, strict=True):
        assert deck_text(decks[0]) in world.behind("<person match>").log, "the written deck is dealt"
    ids = {"persons rival": ["owner", "id"], "persons rival token": ["token"]}
    worlds.make("/v1/owners", {"name": "persons-rival"}, None, ids)
    known = {"match": "<person match>", "owner": "persons-rival", **NOTHING_ELSE}
    others = [visitor(worlds, "another"), signed_in(worlds, "persons rival browser", "<persons rival token>")]
    asked = [each.status for each in post(worlds, "/play/<person match>/hint", "", person)]
    assert asked == [303, 303]
    hint = ("GET", "/play/<person match>/hint", None, {**AS_BROWSER, "Cookie": person.cookie})
    assert eventually(lambda: all(b'"ready"' in world.ask(*hint).body for world in worlds.both))
    worlds.begin_anew()
    read_pages(worlds, known, [person, None, *others])
    be_refused(worlds, known, others)
    for body in FORMS["/play/<match>/moves"][2:]:
        try_form(worlds, "/play/<person match>/moves", body, person)
    stream = "/v1/matches/<person match>/stream?kind=frames&seconds=0"
    worlds.ask("GET", stream, None, None, Cookie=person.cookie)
    worlds.check_metrics()
    worlds.check_logs()


def test_cards_hidden_from_a_friend_change_no_page(worlds: TwinWorlds) -> None:
    """Boris sits beside Anna. Her pages, and those of everybody who knows the link or the match, show nothing of his
    hand, and give nobody a seat."""
    worlds.pass_time()
    play = twins("durak", 2, 0, "friends", {}, most=4, wanted=lambda one, _: one.to_move is not None)
    worlds.write_decks(NO_ENTROPY, play.decks)
    anna, boris, stranger = (visitor(worlds, name) for name in ("anna", "boris", "passer-by"))
    table = "/friends/<friends table>"
    fields = "game=durak&seats=2&level1=greedy&deals=1&clock=slow&name=Anna"
    for world, sent in zip(worlds.both, post(worlds, "/friends", fields, anna), strict=True):
        world.learn("friends table", dict(sent.headers)["Location"].rpartition("/")[2])
    post(worlds, f"{table}/sit", "name=Boris", boris)
    post(worlds, f"{table}/start", "", anna)
    for world in worlds.both:
        found = world.ask("GET", table, None, {**AS_BROWSER, "Cookie": anna.cookie})
        world.learn("friends match", dict(found.headers)["Location"].rpartition("/")[2])
        (world.rig / f"{NO_ENTROPY}.json").unlink()
    for step in play.steps:
        move = f"turn={step.turn}&move={step.text.replace(' ', '+')}"
        moved = post(worlds, "/play/<friends match>/moves", move, (anna, boris)[step.seat])
        assert [each.status for each in moved] == [303, 303]
    for world, decks in zip(worlds.both, play.decks, strict=True):
        assert deck_text(decks[0]) in world.behind("<friends match>").log, "the written deck is dealt"
    known = {"match": "<friends match>", "table": "<friends table>", "owner": "nobody", **NOTHING_ELSE}
    worlds.begin_anew()
    read_pages(worlds, known, [anna, None, stranger])
    be_refused(worlds, known, [stranger])
    worlds.check_metrics()
    worlds.check_logs()


def test_outsiders_see_nothing_of_a_running_group_on_any_page(worlds: TwinWorlds) -> None:
    company = Company(worlds, "page-group", 3)
    group = casual_group(company, {"bots": [company.bot(0), company.bot(1)], "entropy": None}, 2)
    company.come(0, 1)
    outside = signed_in(worlds, "page-group owner", company.owner(2))
    play_differently(worlds, [company.token(0), company.token(1)], 6)
    worlds.begin_anew()
    for ended in (False, True):
        if ended:
            end_in_one_world(worlds, group.matches[0], company.token(0))
        for match in group.matches:
            known = group.known(match)
            known = {**known, "name": known["bot"], "game_id": known["game"], "ladder_id": known["ladder"]}
            read_pages(worlds, known, [None, outside])
            be_refused(worlds, known, [outside])


@pytest.mark.parametrize("viewer", [None, 0])
def test_cards_hidden_from_a_watcher_change_nothing_in_an_open_stream(
    worlds: TwinWorlds, viewer: int | None
) -> None:
    name = "open-stream-all" if viewer is None else "open-stream-seat"
    table = table_of(worlds, name, "durak", 3, viewer, {})
    paths = [f"/v1/matches/{table.match}/stream", f"/v1/stream?matches={table.match}"]
    eyes = list(dict.fromkeys([table.token, None, table.stranger, table.rival]))
    with ExitStack() as open_streams:
        watched = [
            [open_streams.enter_context(LeakStream(world, path, eye)) for world in worlds.both]
            for path in paths
            for eye in eyes
        ]
        table.play_on()
        for one, other in watched:
            assert one.messages(table.events) == other.messages(table.events)


class LeakStream:
    """A stream of events that stays open."""

    def __init__(self, world: LiveWorld, path: str, token: str | None) -> None:
        self._world = world
        self._link = socket.create_connection(("127.0.0.1", world.service.port), timeout=60)
        lines = [f"GET {path} HTTP/1.1", "Host: kozyr.test"]
        lines += [] if token is None else [f"Authorization: Bearer {token}"]
        self._link.sendall(world.real("\r\n".join([*lines, "", ""])).encode())

    def __enter__(self) -> LeakStream:
        return self

    def __exit__(self, *_: object) -> None:
        self._link.close()

    def messages(self, last: int) -> Sequence[str]:
        """Return the messages up to the event with this number, in the form that is compared."""
        text = b""
        while not re.search(rb"id: %d\ndata: .+\n" % last, text):
            piece = self._link.recv(65536)
            assert piece, f"the stream ended: {text!r}"
            text += piece
        return [self._world.set_aside(each.decode()) for each in re.findall(rb"id: \d+\ndata: .+\n", text)]


# Coverage


def test_every_page_is_compared() -> None:
    """A page whose address has a new parameter, and a new form, must be added to `pages.py`."""
    known = {"match", "owner", "name", "game_id", "group", "ladder_id", "number", "session", "table"}
    pages = [rule for rule, methods in rules().items() if "GET" in methods]
    assert {
        "/tv",
        "/play/<match>",
        "/me/bots/<name>/requests",
        "/me/bots/<name>/matches/<match>.ndjson",
    } <= set(pages)
    assert not [rule for rule in pages if not known >= set(parameters(rule))]
    assert not QUERIES.keys() - set(pages)
    forms = {rule for rule, methods in rules().items() if "POST" in methods}
    tried = FORMS.keys() | {OWN_SEAT_FORM.replace("{match}", "<match>")}
    assert not [rule for rule in forms - tried if not NO_MATCH_FORM.fullmatch(rule)]


def test_every_address_is_a_page_or_in_the_document(worlds: TwinWorlds) -> None:
    """The leak tests find operations of the API in its document, and pages in the blueprints of the site."""
    app = build_app(worlds.both[0].service.settings)
    documented = set(worlds.document()["paths"])
    pages = rules()
    forgotten = [
        rule.rule
        for rule in app.url_map.iter_rules()
        if rule.rule not in pages
        and re.sub(r"<(?:[^<>]+:)?(\w+)>", r"{\1}", rule.rule) not in documented
        and not ELSEWHERE.fullmatch(rule.rule)
    ]
    assert not forgotten
    streams = {path for path in documented if path.endswith("/stream")}
    assert streams == STREAMS.keys()
