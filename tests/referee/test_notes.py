"""A bot's note on its move: stored with the move, in the record, and no part of what identifies the move."""

from __future__ import annotations

import json

import pytest

from records.chain import canonical
from records.match.log import Entry, is_note, parse_line, parse_log, record_moves
from records.match.record import BESIDE
from records.match.session import Status
from records.verify.form import check_form
from tests.referee.world import World, remote

NOTES = [
    "keeps the ace",
    "держу козыря",
    "🂡 a ♠ b",
    "<script>alert(1)</script>",
    "- 0 0 0 - deal",
    " ",
    "x" * 200,
]


@pytest.mark.parametrize("note", NOTES)
def test_a_note_is_read_back_from_its_line(note: str) -> None:
    entry = Entry(1, 7, 12, 3, "-", "beat 7H TH", note)
    assert is_note(note)
    assert parse_line(entry.line().removesuffix("\n")) == entry
    assert [move.get("note") for move in record_moves(entry.line() + entry._replace(note="").line())] == [
        note,
        None,
    ]


@pytest.mark.parametrize(
    "note", ["a\tb", "a\nb", "\x00", "\x85", "\u2028", "\u202eabc", "\u2066", "\ud800", "x" * 201]
)
def test_control_characters_and_long_texts_are_no_notes(note: str) -> None:
    assert not is_note(note)


def test_a_repeated_move_keeps_its_first_note(world: World) -> None:
    match = world.match([remote(0), remote(1)])
    turn = world.look(match).progress.turn
    seat = world.look(match).progress.to_move
    first = world.act(match, note="first")
    again = world.act(match, first.entry.move, seat=seat, turn=turn, note="second")
    assert (again.replayed, again.entry.note) == (True, "first")
    assert [entry.note for entry in parse_log(world.look(match).log) if entry.answers] == ["first"]


def test_a_noted_free_move_is_recognised_when_it_is_repeated(world: World) -> None:
    for _ in range(60):
        match = world.match([remote(0), remote(1)], game="kryt")
        while world.look(match).progress.status is Status.RUNNING and world.look(match).progress.turn < 40:
            able = [seat for seat in (0, 1) if world.free(match, seat)]
            if able:
                made = world.act(match, "exchange", seat=able[0], deal=1, note="first")
                again = world.act(match, "exchange", seat=able[0], deal=1)
                assert (made.replayed, again.replayed, again.entry.note) == (False, True, "first")
                return
            world.act(match)
    pytest.fail("no seat could exchange")


def test_the_record_has_the_notes_and_its_proof_covers_them(world: World) -> None:
    match = world.match([remote(0), remote(1)])
    world.act(match, note="держу козыря")
    world.act(match)
    world.referee.resign(match, remote(0).id)
    record = json.loads(json.dumps(world.referee.record(world.look(match)).to_json()))
    assert [move.get("note") for move in record["moves"] if move["seat"] is not None] == [
        "держу козыря",
        None,
    ]
    assert "держу козыря".encode() in canonical(record)
    assert list(check_form({name: value for name, value in record.items() if name not in BESIDE})) == []
    record["moves"][1]["note"] = "two\nlines"
    assert [finding.where for finding in check_form(record)] == ["moves[1].note"]
