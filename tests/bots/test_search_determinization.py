"""Determinizations agree with everything the seat has seen, at every step, in every game and at every table."""

from __future__ import annotations

import random
from typing import Any

import pytest

from bots.search.determinization import DeckSampler, Determinizer, NoDeterminization, current_deal
from bots.search.policies import POLICIES
from engine.cards import CARD_OF_TEXT, CARD_TEXT
from engine.game import Game
from engine.registry import GAMES
from tests.bots.search_strength import PlayedDeal, questions
from tests.engine.lines import covering_tables

EVERY_TABLE = [
    pytest.param(cls, seats, options, id=f"{name}-{label}")
    for name, cls in GAMES.items()
    for label, seats, options in covering_tables(cls)
]


def a_deal(cls: type[Game], seats: int, options: dict[str, Any], seed: int) -> Any:
    game, rng = cls.table(seats, options), random.Random(seed)
    number, dealer = rng.randint(1, game.fixed_deals or 2), rng.randrange(seats)
    return questions(game, number, dealer, rng.sample(game.pack, len(game.pack)), rng)


def determinizer_for(deal: PlayedDeal, seat: int) -> Determinizer:
    game = deal.game
    return Determinizer(game, POLICIES[game.id].read, game.observe(deal.state, seat), deal.histories[seat])


def determinized_events(
    worlds: Determinizer, history: list[dict[str, Any]], rng: random.Random
) -> list[dict[str, Any]]:
    """Return the events that the seat would have seen in a determinization."""
    deck = worlds.decks.draw(rng)
    again = PlayedDeal(worlds.game, history[0]["deal"], history[0]["dealer"], deck)
    for event in history:
        if event["type"] == "move":
            again.play(event["seat"], worlds.game.parse(again.state, event["seat"], event["move"]))
    return again.histories[worlds.seat]


@pytest.mark.parametrize(("cls", "seats", "options"), EVERY_TABLE)
def test_a_determinization_gives_the_seat_its_observation(
    cls: type[Game], seats: int, options: dict[str, Any]
) -> None:
    rng = random.Random(9)
    for step, deal in enumerate(a_deal(cls, seats, options, seed=3)):
        if step > 150:
            break
        seat = deal.state.to_move if step % 5 else rng.randrange(seats)
        world = determinizer_for(deal, seat).draw(rng)
        assert deal.game.observe(world, seat) == deal.game.observe(deal.state, seat)
        assert world.to_move == deal.state.to_move
        if seat == world.to_move:
            assert world.legal == deal.state.legal
        assert deal.game.free_moves(world, seat) == deal.game.free_moves(deal.state, seat)


@pytest.mark.parametrize(("cls", "seats", "options"), EVERY_TABLE)
def test_a_determinization_gives_the_seat_its_events(
    cls: type[Game], seats: int, options: dict[str, Any]
) -> None:
    rng = random.Random(4)
    for step, deal in enumerate(a_deal(cls, seats, options, seed=8)):
        if step > 120:
            break
        if step % 10 == 3:
            seat = deal.state.to_move
            assert (
                determinized_events(determinizer_for(deal, seat), deal.histories[seat], rng)
                == deal.histories[seat]
            )


@pytest.mark.parametrize(
    ("cls", "seats", "options"), [table for table in EVERY_TABLE if POLICIES[table.values[0].id].redeal]
)
def test_dealing_again_gives_what_a_replay_gives(
    cls: type[Game], seats: int, options: dict[str, Any]
) -> None:
    for step, deal in enumerate(a_deal(cls, seats, options, seed=5)):
        if step > 150:
            break
        if step % 6 == 2:
            game, seat = deal.game, deal.state.to_move
            seen, history = game.observe(deal.state, seat), deal.histories[seat]
            policy, one, other = POLICIES[game.id], random.Random(step), random.Random(step)
            worlds = Determinizer(game, policy.read, seen, history, redeal=policy.redeal)
            replayed = Determinizer(game, policy.read, seen, history)
            assert [worlds.draw(one) for _ in range(4)] == [replayed.draw(other) for _ in range(4)]


@pytest.mark.parametrize("name", GAMES)
def test_determinizations_differ_while_cards_are_hidden(name: str) -> None:
    game = GAMES[name].table(4 if name == "king" else 3, {})
    deal = PlayedDeal(game, 1, 0, random.Random(1).sample(game.pack, len(game.pack)))
    rng = random.Random(2)
    worlds = determinizer_for(deal, deal.state.to_move)
    assert len({worlds.draw(rng) for _ in range(20)}) == 20


def test_besikovichs_game_has_one_determinization() -> None:
    game = GAMES["svoi_kozyri"].table(2, {"layout": "besikovich"})
    deal = PlayedDeal(game, 1, 0, random.Random(1).sample(game.pack, len(game.pack)))
    worlds = determinizer_for(deal, deal.state.to_move)
    rng = random.Random(2)
    assert {worlds.draw(rng).hands for _ in range(10)} == {deal.state.hands}


def test_all_possible_decks_are_equally_likely() -> None:
    anywhere, first_two = 0b1111, 0b0011
    decks = DeckSampler({10: first_two, 11: anywhere, 12: anywhere, 13: anywhere})
    rng = random.Random(1)
    counts: dict[tuple[int, ...], int] = {}
    for _ in range(12_000):
        deck = tuple(decks.draw(rng))
        counts[deck] = counts.get(deck, 0) + 1
    assert len(counts) == 12
    assert all(850 < count < 1150 for count in counts.values())


def test_overlapping_places_give_nearly_uniform_decks() -> None:
    decks = DeckSampler({10: 0b0111, 11: 0b1110, 12: 0b1111, 13: 0b1111}, [10, 11])
    rng = random.Random(1)
    counts: dict[tuple[int, ...], int] = {}
    for _ in range(14_000):
        deck = tuple(decks.draw(rng))
        counts[deck] = counts.get(deck, 0) + 1
    assert len(counts) == 14
    assert all(800 < count < 1200 for count in counts.values())


def test_a_rare_deck_is_found_and_an_impossible_one_refused() -> None:
    rng = random.Random(1)
    chain = {10 + n: 1 << n | 1 << (n + 1) % 8 for n in range(8)}
    for _ in range(20):
        deck = DeckSampler(chain).draw(rng)
        assert sorted(deck) == list(chain)
        assert all(chain[card] >> place & 1 for place, card in enumerate(deck))
    with pytest.raises(NoDeterminization):
        DeckSampler({1: 0b01, 2: 0b01}).draw(rng)


def test_a_history_that_contradicts_the_observation_has_no_determinization() -> None:
    game = GAMES["king"].table(4, {})
    rng = random.Random(1)
    one, other = (PlayedDeal(game, 1, 0, rng.sample(game.pack, 32)) for _ in range(2))
    seat = one.state.to_move
    worlds = Determinizer(game, POLICIES["king"].read, game.observe(one.state, seat), other.histories[seat])
    with pytest.raises(NoDeterminization):
        worlds.draw(rng)


def test_only_the_deal_in_progress_is_read() -> None:
    history = [
        {"type": "started"},
        {"type": "deal", "deal": 1},
        {"type": "deal", "deal": 2},
        {"type": "dealt"},
    ]
    assert current_deal(history) == history[2:]
    with pytest.raises(NoDeterminization):
        current_deal([{"type": "started"}])


def drawn_with(deal: PlayedDeal, seat: int, held: int, card: str, *, doubting: bool = True) -> int:
    """Return in how many of 200 decks, drawn by a bot that heeds doubts or does not, another seat holds this card."""
    game, rng = deal.game, random.Random(2)
    seen = game.observe(deal.state, seat)
    worlds = Determinizer(game, POLICIES[game.id].read, seen, deal.histories[seat], doubting=doubting)
    return sum(worlds.draw(rng).hands[held] >> CARD_OF_TEXT[card] & 1 for _ in range(200))


def test_who_neither_beats_nor_throws_in_hardly_holds_the_cards_for_it() -> None:
    """Trump is spades. Seat 2 takes a seven of clubs, and seat 3 gives no other seven."""
    game = GAMES["durak"].table(4, {"first_attacker": "dealer_left"})
    first = ["7C", "6D", "6H", "8D", "9H", "TD"]
    rest = [card for card in map(CARD_TEXT.__getitem__, game.pack) if card not in first]
    others = iter([card for card in rest if card not in ("6S", "8C", "7D")])
    # Seat 1 attacks; 8C and 7D lie in the talon.
    deck = [first[place // 4] if place % 4 == 0 else next(others) for place in range(24)]
    deck += ["6S", "8C", "7D", *others]
    deal = PlayedDeal(game, 2, 0, [CARD_OF_TEXT[card] for card in deck])
    for seat, text in ((1, "attack 7C"), (2, "take")):
        deal.play(seat, game.parse(deal.state, seat, text))
    while deal.state.to_move == 1:
        deal.play(1, game.parse(deal.state, 1, "pass"))
    deal.play(3, game.parse(deal.state, 3, "pass"))
    assert drawn_with(deal, 1, 2, "8C") < 20 < drawn_with(deal, 1, 3, "8C")
    assert drawn_with(deal, 1, 3, "7D") < 20 < drawn_with(deal, 1, 2, "7D")
    assert drawn_with(deal, 1, 2, "AS") > 20
    assert drawn_with(deal, 1, 2, "8C", doubting=False) > 20, "as reviews draw"
