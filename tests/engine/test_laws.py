"""Laws that hold for every registered game, table, deck and line of play, including new games.

Each law runs briefly with the other tests, and at length under the marker `slow`.
"""

from __future__ import annotations

import json
import typing
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from engine.cards import CARD_TEXT
from engine.game import NOBODY, BadDeck, BadTable, Game, IllegalMove, NotAMove, Refusal
from engine.match import Match
from engine.registry import GAMES
from tests.engine.hidden import publicly_another_deal, rightly_seen
from tests.engine.lines import (
    LineOfPlay,
    cards_in,
    hand_of,
    legal_texts,
    lines,
    random_line,
    table_or_none,
    tables,
)

Law = Callable[[type[Game], st.DataObject], None]
LAWS: list[Law] = []


def law(check: Law) -> Law:
    LAWS.append(check)
    return check


def _viewers(game: Game) -> list[int | None]:
    return [None, *range(game.seats)]


# The moves


@law
def legal_moves_exist_until_the_deal_is_over_and_never_fail(cls: type[Game], data: st.DataObject) -> None:
    line = data.draw(lines(cls))
    for state in line.states:
        assert (state.to_move == NOBODY) == (state.legal == ())
        assert len(set(state.legal)) == len(state.legal)
        for seat in range(line.game.seats):
            free = line.game.free_moves(state, seat)
            assert not (state.to_move == seat and set(free) & set(state.legal))
            assert not (state.to_move == NOBODY and free)
    state = data.draw(st.sampled_from(line.states))
    for move in state.legal:
        line.game.play(state, state.to_move, move)
    for seat in range(line.game.seats):
        for move in line.game.free_moves(state, seat):
            after = line.game.play(state, seat, move)
            assert after.to_move in (state.to_move, NOBODY)
            if seat != state.to_move and after.to_move != NOBODY:
                # A free move off turn does not change the question.
                before = [line.game.text(state, each) for each in state.legal]
                assert [line.game.text(after, each) for each in after.legal] == before


@law
def the_safe_move_is_legal(cls: type[Game], data: st.DataObject) -> None:
    line = data.draw(lines(cls))
    for state in line.states:
        assert state.to_move == NOBODY or line.game.safe_move(state) in state.legal


@law
def the_texts_of_legal_moves_differ_and_parse_back(cls: type[Game], data: st.DataObject) -> None:
    line = data.draw(lines(cls, most=60))
    state, game = line.states[-1], line.game
    for seat in range(game.seats):
        answers = state.legal if state.to_move == seat else ()
        moves = (*answers, *game.free_moves(state, seat))
        found = legal_texts(game, state, seat)
        assert len(set(found)) == len(found)
        assert [game.parse(state, seat, text) for text in found] == list(moves)


@law
def a_move_is_a_verb_of_its_game_and_cards_or_a_word(cls: type[Game], data: st.DataObject) -> None:
    assert cls.verbs == tuple(sorted(cls.verbs))
    for _, text in data.draw(lines(cls)).texts():
        verb, *rest = text.split(" ")
        assert verb in cls.verbs
        assert len(rest) <= cls.most_cards
        assert set(rest) <= set(CARD_TEXT) or (len(rest) == 1 and rest[0] in cls.words)


@law
def a_text_that_is_not_legal_is_refused_and_a_state_cannot_change(
    cls: type[Game], data: st.DataObject
) -> None:
    line = data.draw(lines(cls, most=60))
    state, game = line.states[-1], line.game
    before = hash(state)  # A hashable state has no mutable parts.
    seat = data.draw(st.integers(0, game.seats - 1))
    move_texts = [text for _, text in line.texts()]
    spoilt = [
        way
        for text in move_texts
        for way in (f"{text} ", f" {text}", text.lower(), text.replace(" ", "  ", 1))
    ]
    for text in [*move_texts, *spoilt, "", data.draw(st.text(max_size=20))]:
        if text not in legal_texts(game, state, seat):
            with pytest.raises((NotAMove, IllegalMove)) as caught:
                game.parse(state, seat, text)
            assert str(caught.value)
    for move in [*range(-3, 70), 2**20, 2**40]:
        allowed = move in game.free_moves(state, seat) or (state.to_move == seat and move in state.legal)
        if not allowed:
            with pytest.raises(IllegalMove):
                game.play(state, seat, move)
    assert hash(state) == before


# The deal


@law
def the_same_deal_and_moves_give_the_same_states(cls: type[Game], data: st.DataObject) -> None:
    line = data.draw(lines(cls))
    again = cls.table(line.game.seats, dict(line.game.options))
    assert again.options == line.game.options
    state = again.deal(line.number, line.dealer, list(line.deck))
    for (seat, text), expected in zip(line.texts(), line.states, strict=False):
        assert state == expected
        state = again.play(state, seat, again.parse(state, seat, text))
    assert state == line.states[-1]


@law
def every_deal_ends_and_its_scores_are_whole(cls: type[Game], data: st.DataObject) -> None:
    line = data.draw(lines(cls))
    game, over = line.game, line.states[-1]
    assert over.to_move == NOBODY
    assert len(line.moves) <= game.most_moves
    returns = game.returns(over)
    assert len(returns) == game.seats
    worst, best = game.deal_points(line.number)
    assert all(worst <= points <= best for points in returns)
    assert all(type(points) is int for points in returns)
    for seat in range(game.seats):
        for other in range(game.seats):
            assert game.sides[seat] != game.sides[other] or returns[seat] == returns[other]
    assert 0 <= game.next_dealer(over) < game.seats
    state = data.draw(st.sampled_from(line.states))
    assert len(game.cut_short(state, (0,))) == game.seats


@law
def a_deck_is_a_permutation_of_the_pack(cls: type[Game], data: st.DataObject) -> None:
    game = data.draw(tables(cls))
    pack = list(game.pack)
    for deck in (pack[1:], [*pack, pack[0]], [pack[1], *pack[1:]], []):
        with pytest.raises(BadDeck):
            game.deal(1, 0, deck)


@law
def an_unsupported_table_is_refused(cls: type[Game], data: st.DataObject) -> None:
    game = data.draw(tables(cls))
    for seats in (0, max(cls.seat_counts) + 1, -1, True):
        assert table_or_none(cls, seats, {}) is None
    with pytest.raises(BadTable) as caught:
        cls.table(game.seats, {"no such option": 1})
    assert caught.value.field == "no such option"
    for name in cls.option_schemas:
        for value in (None, [], {}, 1.5, "", "no such value", -1):
            with pytest.raises(BadTable) as caught:
                cls.table(game.seats, {name: value})
            assert caught.value.field == name


@law
def rotated_seats_play_the_same_deal(cls: type[Game], data: st.DataObject) -> None:
    line = data.draw(lines(cls))
    game, seats = line.game, line.game.seats
    by = data.draw(st.integers(1, seats - 1))
    # An option with free text has one letter for each seat.
    options = {
        name: value
        if "enum" in cls.option_schemas[name] or not isinstance(value, str)
        else _rotated(value, by)
        for name, value in game.options.items()
    }
    turned = cls.table(seats, options)
    state = turned.deal(line.number, (line.dealer + by) % seats, line.deck)
    for step, expected in enumerate(line.states):
        asked = expected.to_move
        assert state.to_move == (asked if asked == NOBODY else (asked + by) % seats)
        for seat in range(seats):
            other = (seat + by) % seats
            assert hand_of(turned, state, other) == hand_of(game, expected, seat)
            assert legal_texts(turned, state, other) == legal_texts(game, expected, seat)
        if step < len(line.moves):
            seat, move = line.moves[step]
            state = turned.play(
                state,
                (seat + by) % seats,
                turned.parse(state, (seat + by) % seats, game.text(expected, move)),
            )
    returns = game.returns(line.states[-1])
    assert turned.returns(state) == tuple(_rotated(returns, by))
    assert turned.next_dealer(state) == (game.next_dealer(line.states[-1]) + by) % seats


def _rotated(values: Any, by: int) -> Any:
    return values[-by:] + values[:-by]


# What a seat sees


@law
def an_observation_has_its_declared_fields_and_is_json(cls: type[Game], data: st.DataObject) -> None:
    line = data.draw(lines(cls))
    for state in line.states[:: max(1, len(line.states) // 20)]:
        for seat in _viewers(line.game):
            seen = line.game.observe(state, seat)
            assert set(seen) == set(typing.get_type_hints(cls.observation))
            assert json.loads(json.dumps(seen)) == seen
            assert seen["to_move"] == (None if state.to_move == NOBODY else state.to_move)
            seen.clear()
            assert line.game.observe(state, seat)


@law
def no_card_is_lost_or_duplicated(cls: type[Game], data: st.DataObject) -> None:
    line = data.draw(lines(cls))
    game = line.game
    for state in line.states:
        hands = [hand_of(game, state, seat) for seat in range(game.seats)]
        assert set().union(*hands) <= set(game.pack)
        assert sum(map(len, hands)) == len(set().union(*hands))
        for seat in _viewers(game):
            seen = game.observe(state, seat)
            assert seen["hand_sizes"] == [len(hand) for hand in hands]
            for known, hand in zip(seen.get("known", []), hands, strict=False):
                assert cards_in(known) <= hand


@law
def a_seats_events_account_for_every_card_that_comes_to_its_hand_or_leaves_it(
    cls: type[Game], data: st.DataObject
) -> None:
    line = data.draw(lines(cls))
    game = line.game
    for seat in range(game.seats):
        seen = cards_in([event.view(seat) for event in line.events(0)])
        assert hand_of(game, line.states[0], seat) <= seen
    for step in range(1, len(line.states)):
        _, move = line.moves[step - 1]
        played = cards_in(game.text(line.states[step - 1], move))
        for seat in range(game.seats):
            seen = played | cards_in([event.view(seat) for event in line.events(step)])
            changed = hand_of(game, line.states[step - 1], seat) ^ hand_of(game, line.states[step], seat)
            assert changed <= seen


@law
def events_are_json_and_have_a_type(cls: type[Game], data: st.DataObject) -> None:
    line = data.draw(lines(cls))
    for step in range(len(line.states)):
        for event in line.events(step):
            assert isinstance(event.public["type"], str)
            assert set(event.private) <= set(range(line.game.seats))
            for seat in _viewers(line.game):
                assert json.loads(json.dumps(event.view(seat))) == event.view(seat)


def _received(line: LineOfPlay, step: int, seat: int | None) -> tuple[Any, ...]:
    """Return everything that this seat receives at this step."""
    game, state = line.game, line.states[step]
    events = [event.view(seat) for event in line.events(step)]
    free = () if seat is None else game.free_moves(state, seat)
    free_texts = [game.text(state, move) for move in free]
    return game.observe(state, seat), events, legal_texts(game, state, seat), free_texts


def _refusals(line: LineOfPlay, step: int, seat: int) -> list[str]:
    """Return the refusals that this seat gets at this step for earlier moves, and for its verbs with other cards."""
    game, state, answers = line.game, line.states[step], []
    earlier = [text for _, text in line.texts()[:step]][-12:]
    named = sorted(cards_in(earlier))
    texts = {*earlier, *legal_texts(game, state, seat)}
    for verb in {text.split(" ")[0] for text in texts}:
        texts |= {f"{verb} {CARD_TEXT[card]}" for card in game.pack}
        own = hand_of(game, state, seat)
        texts |= {f"{verb} {CARD_TEXT[one]} {CARD_TEXT[two]}" for one in named for two in own}
    for text in sorted(texts):
        try:
            game.parse(state, seat, text)
        except Refusal as refusal:
            answers.append(f"{text}: {type(refusal).__name__} {refusal}")
        else:
            answers.append(text)
    return answers


@law
def cards_hidden_from_a_seat_can_be_swapped_unnoticed(cls: type[Game], data: st.DataObject) -> None:
    line = data.draw(lines(cls))
    game = line.game
    viewer = data.draw(st.sampled_from(_viewers(game)))
    seen_at = rightly_seen(line, viewer)
    hidden = sorted(card for card in game.pack if seen_at.get(card) != 0)
    assume(len(hidden) >= 2)
    rng = data.draw(st.randoms(use_true_random=False))
    for nth in range(8):
        # Rules single out the lowest cards, so draw these more often.
        one = rng.choice(hidden[:4] if nth % 2 else hidden)
        other = rng.choice([card for card in hidden if card != one])
        until = min(seen_at.get(one, len(line.states)), seen_at.get(other, len(line.states)))
        _play_exchanged(line, viewer, one, other, until)


def _play_exchanged(line: LineOfPlay, viewer: int | None, one: int, other: int, until: int) -> None:
    """Replay the line with two cards swapped in the deck. Assert that the viewer sees no difference before `until`."""
    game, swap = line.game, {one: other, other: one}
    deck = tuple(swap.get(card, card) for card in line.deck)
    state = game.deal(line.number, line.dealer, deck)
    if publicly_another_deal(game, line.states[0], state):
        return
    swapped = LineOfPlay(game, line.number, line.dealer, deck, [state], [])
    assert _received(swapped, 0, viewer) == _received(line, 0, viewer)
    for step, (seat, text) in enumerate(line.texts()[: until - 1], start=1):
        if game.hands_bind and seat != viewer and text not in legal_texts(game, state, seat):
            return
        move = game.parse(state, seat, text)
        state = game.play(state, seat, move)
        swapped.moves.append((seat, move))
        swapped.states.append(state)
        assert _received(swapped, step, viewer) == _received(line, step, viewer)
    if viewer is not None:
        asked = [step for step, state in enumerate(swapped.states) if state.to_move == viewer]
        for step in {until - 1, *asked[-1:]}:
            assert _refusals(swapped, step, viewer) == _refusals(line, step, viewer)


# Whole matches


@law
def a_match_replays_from_its_texts(cls: type[Game], data: st.DataObject) -> None:
    game = data.draw(tables(cls))
    rng = data.draw(st.randoms(use_true_random=False))
    dealer = data.draw(st.integers(0, game.seats - 1))
    match = Match(game, None if cls.fixed_deals else 2, dealer)
    state = match.begin()
    scores = [0] * game.seats
    while state.to_move != NOBODY:
        assert state.dealer == dealer
        line = random_line(game, state.number, state.dealer, rng)
        state = match.deal(state, line.deck)
        for seat, text in line.texts():
            before = state
            state = match.play(state, seat, match.parse(state, seat, text))
            events = match.events(before, seat, line.game.parse(before.deal, seat, text), state)
            assert events[0].public["move"] == text
        assert events[-1].public["type"] == "deal_over"
        returns, dealer = game.returns(line.states[-1]), game.next_dealer(line.states[-1])
        scores = [score + points for score, points in zip(scores, returns, strict=True)]
        assert list(state.scores) == scores


BRIEF = settings(
    max_examples=min(10, settings.default.max_examples),
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)
LONG = settings(BRIEF, max_examples=100, derandomize=False)


@pytest.mark.parametrize("check", LAWS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("game", GAMES)
def test_law(game: str, check: Law) -> None:
    BRIEF(given(st.data())(lambda data: check(GAMES[game], data)))()


@pytest.mark.soak
@pytest.mark.parametrize("check", LAWS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("game", GAMES)
def test_law_at_length(game: str, check: Law) -> None:
    LONG(given(st.data())(lambda data: check(GAMES[game], data)))()
