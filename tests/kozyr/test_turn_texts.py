"""Turns in words for programs: each tells what the service would tell, from the events that came so far."""

from __future__ import annotations

import pytest

from engine.registry import GAMES
from kozyr.lines.protocol import TurnTexts
from records.words.turn import turn_text
from tests.support.worded import sensible_turns, table_of


@pytest.mark.parametrize(("name", "seats"), [("durak", 2), ("king", 4)])
def test_news_since_the_last_turn_are_enough(name: str, seats: int) -> None:
    game = GAMES[name].table(seats, {})
    texts, read = TurnTexts("en"), 0
    for turn, seen in sensible_turns(game, 5):
        if turn["seat"] != 0:
            continue
        events = [{"n": number, **event} for number, event in enumerate(seen, start=1)]
        message = texts.message(turn, table=table_of(game), events=events[read:])
        read = len(events)
        assert message.decode() == turn_text(turn, table_of(game), events, "en") + "\n\n"


def test_a_program_that_starts_again_reads_the_deal_anew() -> None:
    game = GAMES["durak"].table(2, {})
    turn, seen = list(sensible_turns(game, 5))[-1]
    events = [{"n": number, **event} for number, event in enumerate(seen, start=1)]
    texts = TurnTexts("en")
    first = texts.message(turn, table=table_of(game), events=events)
    assert texts.message(turn, table=table_of(game), events=events) == first
    texts.forget(turn["match"])
    assert texts.message(turn, table=table_of(game), events=events) == first
