"""ReadMove moves that language models write: mended exactly and uniquely, or refused."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.registry import GAMES
from records.words.reading import LONGEST, MENDINGS, ReadMove, UnclearMove, read_move
from tests.engine.lines import LineOfPlay, legal_texts, lines

MOVES = (
    *("take", "pass", "beat 7H TH", "attack 8D", "attack TD", "attack AC", "attack TC", "throw 7C 7H"),
    *("declare last", "declare S", "play QD", "play KC", "play AS", "pickup"),
)
MENDED = [
    ("```\ntake\n```", "take", {"fence"}),
    ("```text\nbeat 7H TH\n```", "beat 7H TH", {"fence"}),
    ("`take`", "take", {"fence"}),
    ('{"move": "take"}', "take", {"json"}),
    ('```json\n{"move": "beat 7H TH"}\n```', "beat 7H TH", {"fence", "json"}),
    ('"take"', "take", {"quotes"}),
    ("«take»", "take", {"quotes"}),
    ("  take\n", "take", {"blanks"}),
    ("beat  7H TH", "beat 7H TH", {"blanks"}),
    ("take.", "take", {"mark"}),
    ("throw 7C, 7H!", "throw 7C 7H", {"mark"}),
    ("TAKE", "take", {"case"}),
    ("Beat 7h th", "beat 7H TH", {"case"}),
    ("declare LAST", "declare last", {"case"}),
    ("declare s", "declare S", {"case"}),
    ("attack 8♦", "attack 8D", {"sign"}),
    ("attack 8♦️", "attack 8D", {"sign"}),
    ("attack 8♢", "attack 8D", {"sign"}),
    ("attack 10D", "attack TD", {"ten"}),
    ("attack 10♦.", "attack TD", {"ten", "sign", "mark"}),
    ("attack 8 of diamonds", "attack 8D", {"words"}),
    ("Attack Ten of Diamonds", "attack TD", {"words", "case"}),
    ("play ace of spades", "play AS", {"words"}),
    ("attack 8 бубен", "attack 8D", {"words"}),
    ("play туз пик", "play AS", {"words"}),
    ("attack D8", "attack 8D", {"order"}),
    ("beat 7Н ТН", "beat 7H TH", {"cyrillic"}),
    ("play ДБ", "play QD", {"cyrillic"}),
    ("attack 10Б", "attack TD", {"cyrillic", "ten"}),
    ("таке", "take", {"cyrillic"}),
]
REFUSED = [
    *(
        "",
        " ",
        "8D",
        "1",
        "0",
        "I take",
        "I attack with 8D",
        "take because it is safe",
        "take\ntake",
        "take | pass",
    ),
    *(
        "beat 7H with TH",
        "beat TH 7H",
        "throw 7H 7C",
        "**take**",
        '{"move": "take", "why": "safe"}',
        '["take"]',
    ),
    *(
        '{"moves": "take"}',
        '{"move": ["take"]}',
        "attack the 8 of diamonds",
        "attack 8 of stars",
        "play 8D",
        "take?take",
    ),
    *("attack 88D", "attack ", "{" * 1000, "attack " + "Т" * 300, "move 8D", "best", "random", "Illegal"),
]


@pytest.mark.parametrize(("text", "move", "mended"), MENDED)
def test_a_text_that_can_mean_one_move_is_mended(text: str, move: str, mended: set[str]) -> None:
    reading = read_move(text, MOVES)
    assert (reading.move, set(reading.mended)) == (move, mended)


@pytest.mark.parametrize("text", REFUSED)
def test_any_other_text_is_refused(text: str) -> None:
    with pytest.raises(UnclearMove):
        read_move(text, MOVES)


@pytest.mark.parametrize("text", [text for text, _, _ in MENDED])
def test_a_move_that_is_not_legal_is_never_replaced_by_one_that_is(text: str) -> None:
    move = read_move(text, MOVES).move
    with pytest.raises(UnclearMove):
        read_move(text, [other for other in MOVES if other != move])


def test_every_mending_is_shown() -> None:
    assert set().union(*(mended for _, _, mended in MENDED)) == set(MENDINGS)


@given(st.sampled_from(sorted(GAMES)).flatmap(lambda name: lines(GAMES[name], 30)), st.data())
def test_every_legal_move_is_read_as_itself(line: LineOfPlay, data: st.DataObject) -> None:
    step = data.draw(st.integers(0, len(line.moves) - 1))
    state = line.states[step]
    moves = legal_texts(line.game, state, state.to_move)
    move = data.draw(st.sampled_from(moves))
    assert read_move(move, moves) == ReadMove(move)
    for text in (move.upper(), f"```\n{move}\n```", f" {move.replace('T', '10')}. "):
        assert read_move(text, moves).move == move


@given(st.text(max_size=LONGEST + 10))
def test_a_random_text_is_a_move_or_refused(text: str) -> None:
    with suppress(UnclearMove):
        assert read_move(text, MOVES).move in MOVES
