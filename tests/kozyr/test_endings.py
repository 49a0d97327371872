"""Endgame sets: their values are exact, nothing is hidden in them, and they can be made again."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner

from bots.search.determinization import Determinizer
from bots.search.policies import POLICIES
from engine.relabelling import ALL_RELABELLINGS, undone
from kozyr.cli.main import main
from records.endings.model import ExactEnding
from records.endings.sets import SETS, endings_of, parsed, text_of
from tools.endings import POSITIONS, made

EVERY = [ending for game in SETS for ending in endings_of(game)]
SOME = EVERY[::12]


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


@pytest.mark.parametrize("game", SETS)
def test_a_set_has_some_hundred_critical_positions_of_different_deals(game: str) -> None:
    found = endings_of(game)
    assert len(found) == POSITIONS
    assert [each.id for each in found] == [f"{SETS[game]}-{number:03}" for number in range(1, POSITIONS + 1)]
    assert len({each.deck for each in found}) == POSITIONS
    assert all(len(set(each.values.values())) > 1 for each in found)
    assert {each.document()["observation"]["question"] for each in found} == {
        "attack",
        "defend",
        "throw",
        "give",
    }


@pytest.mark.parametrize("ending", SOME, ids=by_id)
def test_what_the_seat_has_seen_leaves_one_possible_position(ending: ExactEnding) -> None:
    seen = ending.document()
    table = ending.table
    determinizer = Determinizer(table, POLICIES[ending.game].read, seen["observation"], seen["events"])
    for seed in range(3):
        world = determinizer.draw(Random(seed))
        assert table.observe(world, 0) == table.observe(ending.state.deal, 0)
        assert table.observe(world, 1) == table.observe(ending.state.deal, 1)


@pytest.mark.parametrize("suits", ALL_RELABELLINGS[1::7])
def test_a_relabelled_ending_is_right_and_becomes_the_same_again(suits: tuple[int, int, int, int]) -> None:
    for ending in SOME:
        other = ending.relabelled(suits)
        assert other.fault() is None
        assert other.deck != ending.deck
        assert sorted(other.values.values()) == sorted(ending.values.values())
        assert other.relabelled(undone(suits)) == ending


@pytest.mark.parametrize("game", SETS)
def test_the_script_makes_the_set_again(game: str) -> None:
    lines = text_of(SETS[game]).splitlines()[:3]
    assert [json.loads(line) for line in lines] == [
        json.loads(json.dumps(ending.to_json())) for ending in made(game, 3)
    ]


def test_a_position_is_printed_in_words_with_the_value_of_each_move() -> None:
    status, text = run("durak", "--id", "durak-1-007")
    assert status == 0
    assert "You are seat #1 of 2." in text
    assert "#0 must also hold: C Q D A H T" in text
    assert "  +1  beat JS AS\n" in text
    assert "  +0  beat JS TD\n" in text


def test_the_printed_positions_are_what_the_seats_saw() -> None:
    status, text = run("durak", "--json")
    documents = [json.loads(line) for line in text.splitlines()]
    assert status == 0
    assert len(documents) == POSITIONS
    for document, ending in zip(documents, endings_of("durak"), strict=True):
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


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["king"], "'king' has no endgame set: choose durak"),
        (["durak", "--id", "durak-1-999"], "the set has no position durak-1-999"),
    ],
)
def test_what_is_not_there_is_an_error(words: list[str], reason: str) -> None:
    assert run(*words) == (2, f"kozyr: {reason}\n")


def test_a_file_that_is_no_set_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "set.ndjson"
    file.write_text("{}\n", encoding="utf-8")
    status, text = run("durak", "--from", str(file))
    assert status == 2
    assert "line 1 is not an ending" in text


def test_a_line_that_is_no_object_is_named() -> None:
    with pytest.raises(ValueError, match="line 2 is not an ending"):
        parsed(text_of("durak-1").splitlines()[0] + "\n[]\n")
