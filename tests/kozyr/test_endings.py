"""Endgame sets: their values are exact, nothing is hidden in them, and they can be made again."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner

from bots.search.determinization import Determinizer
from bots.search.policies import POLICIES
from engine.games.king import CONTRACTS
from engine.relabelling import undone
from kozyr.cli.main import main
from records.endings.model import ExactEnding
from records.endings.sets import NAMES, endings_of, parsed, text_of
from tools.endings import POSITIONS, made

EVERY = [ending for name in NAMES for ending in endings_of(name)]
SOME = EVERY[::23]


def by_id(ending: ExactEnding) -> str:
    return ending.id


def run(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(main, ["endings", *words])
    return done.exit_code, done.output


@pytest.mark.parametrize("ending", SOME, ids=by_id)
def test_the_solver_finds_the_values_of_a_part_of_the_sets(ending: ExactEnding) -> None:
    assert ending.fault() is None


@pytest.mark.ci
@pytest.mark.parametrize("ending", EVERY, ids=by_id)
def test_the_solver_finds_the_values_of_the_sets(ending: ExactEnding) -> None:
    assert ending.fault() is None


@pytest.mark.parametrize("name", NAMES)
def test_a_set_has_some_hundred_critical_positions_of_different_deals(name: str) -> None:
    found = endings_of(name)
    assert [each.id for each in found] == [f"{name}-{number:03}" for number in range(1, POSITIONS + 1)]
    assert len({each.deck for each in found}) == POSITIONS
    assert all((each.seats, each.options) == (found[0].seats, found[0].options) for each in found)
    assert all(len(set(each.values.values())) > 1 for each in found)


@pytest.mark.parametrize(
    ("name", "member", "values"),
    [
        ("durak-1", "question", {"attack", "defend", "throw", "give"}),
        ("durak-teams-1", "question", {"attack", "defend", "throw", "give"}),
        ("durak-transfer-1", "question", {"attack", "defend", "throw", "give"}),
        ("king-1", "contract", {contract.name for contract in CONTRACTS}),
    ],
)
def test_a_set_has_every_question_of_its_game(name: str, member: str, values: set[str]) -> None:
    assert {each.document()["observation"][member] for each in endings_of(name)} == values


@pytest.mark.parametrize("ending", SOME, ids=by_id)
def test_what_the_seat_has_seen_leaves_one_possible_position(ending: ExactEnding) -> None:
    seen = ending.document()
    table = ending.table
    determinizer = Determinizer(table, POLICIES[ending.game].read, seen["observation"], seen["events"])
    for seed in range(3):
        world = determinizer.draw(Random(seed))
        for seat in range(ending.seats):
            assert table.observe(world, seat) == table.observe(ending.state.deal, seat)


@pytest.mark.parametrize("ending", SOME, ids=by_id)
def test_a_relabelled_ending_is_right_and_becomes_the_same_again(ending: ExactEnding) -> None:
    for suits in ending.table.suit_symmetries()[1::7]:
        other = ending.relabelled(suits)
        assert other.fault() is None
        assert other.deck != ending.deck
        assert sorted(other.values.values()) == sorted(ending.values.values())
        again = other.relabelled(undone(suits))
        assert again.table.options == ending.table.options
        assert again._replace(options=ending.options) == ending


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[] if name in ("king-1", "besikovich-1") else pytest.mark.ci)
        for name in NAMES
    ],
)
def test_the_script_makes_the_set_again(name: str) -> None:
    lines = text_of(name).splitlines()[:3]
    assert [json.loads(line) for line in lines] == [
        json.loads(json.dumps(ending.to_json())) for ending in made(name.removesuffix("-1"), 3)
    ]


def test_the_printed_positions_are_what_the_seats_saw() -> None:
    status, text = run("durak-1", "--json")
    documents = [json.loads(line) for line in text.splitlines()]
    assert status == 0
    assert len(documents) == POSITIONS
    for document, ending in zip(documents, endings_of("durak-1"), strict=True):
        assert document["observation"]["legal_moves"] == list(document["values"])
        assert document["best"] == ending.best
        other = 1 - document["seat"]
        assert not [
            event for event in document["events"] if event["type"] == "dealt" and event.get("seat") == other
        ]
        assert "deck" not in document


def test_verification_names_a_wrong_value(tmp_path: Path) -> None:
    first, second = (json.loads(line) for line in text_of("durak-1").splitlines()[:2])
    first["values"] = {move: -value for move, value in first["values"].items()}
    file = tmp_path / "set.ndjson"
    file.write_text(f"{json.dumps(first)}\n{json.dumps(second)}\n", encoding="utf-8")
    status, text = run("durak", "--verify", "--from", str(file))
    assert status == 1
    assert "durak-1-001: the solver finds {" in text
    assert "1 of 2 positions are wrong" in text


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"moves": ["attack AS"]}, "the rules refuse it"),
        ({"moves": [], "seat": 0}, "cards are hidden: 24 in the talon"),
        ({"deck": "deal 6C"}, "the rules refuse it"),
    ],
    ids=["an illegal move", "a talon", "no pack"],
)
def test_verification_names_a_position_that_cannot_arise_or_hides_cards(
    tmp_path: Path, change: dict[str, object], reason: str
) -> None:
    file = tmp_path / "set.ndjson"
    file.write_text(json.dumps(json.loads(text_of("durak-1").splitlines()[0]) | change), encoding="utf-8")
    status, text = run("durak", "--verify", "--from", str(file))
    assert status == 1
    assert reason in text


def test_besikovich_is_solved_by_pack() -> None:
    status, text = run("besikovich", "--packs-to", "K", "--json")
    assert status == 0
    assert [json.loads(line) for line in text.splitlines()] == [
        {"lowest_rank": "A", "first": "1/2", "draw": "1/2", "second": "0", "value": "1/2"},
        {"lowest_rank": "K", "first": "11/14", "draw": "3/14", "second": "0", "value": "11/14"},
    ]
    assert (
        run("besikovich", "--packs-to", "A")[1]
        == "A  first 0.5000  draw 0.5000  second 0.0000  value 0.5000\n"
    )
    status, text = run("durak", "--packs-to", "K")
    assert (status, "--packs-to is for besikovich" in text) == (2, True)


def test_a_line_that_is_no_object_is_named() -> None:
    with pytest.raises(ValueError, match="line 2 is not an ending"):
        parsed(text_of("durak-1").splitlines()[0] + "\n[]\n")
