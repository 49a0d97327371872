"""Compare the engine and the second implementation, move by move."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from bots.house import HOUSE_BOTS
from engine.cards import CARD_TEXT
from engine.game import CHANCE, NOBODY, BadTable, Event, Game
from engine.match import Match, MatchState
from engine.registry import GAMES
from tests.outsider.durak import OutsiderDurak
from tests.outsider.king import OutsiderKing
from tests.outsider.piles import OutsiderKryt, OutsiderSvoiKozyri
from tests.outsider.table import OutsiderTable, in_order

OUTSIDERS: Mapping[str, type[OutsiderTable]] = {
    "durak": OutsiderDurak,
    "king": OutsiderKing,
    "kryt": OutsiderKryt,
    "svoi_kozyri": OutsiderSvoiKozyri,
}
CHANCE_MOVES = (1.0, 0.3, 0.05)
"""The share of random moves, by deal. `greedy` plays the others, because many random deals would not end."""


def tables(name: str) -> list[Game]:
    """Return every number of seats with every combination of options, with one value of each number and free text."""
    cls = GAMES[name]
    names = [option for option, schema in cls.option_schemas.items() if _values(schema)]
    found = []
    for seats in cls.seat_counts:
        for values in itertools.product(*[[None, *_values(cls.option_schemas[option])] for option in names]):
            options = {
                option: value for option, value in zip(names, values, strict=True) if value is not None
            }
            try:
                found.append(cls.table(seats, options))
            except BadTable:
                continue
    return list({(game.seats, str(game.options)): game for game in found}.values())


def _values(schema: Mapping[str, Any]) -> list[Any]:
    return [True, False] if schema["type"] == "boolean" else schema.get("enum", [])


def varied(game: Game, rng: random.Random) -> Game:
    """Return the same table with a random turn limit, limit of the first bouts, and own trumps."""
    options = dict(game.options)
    if "turn_limit" in options:
        options["turn_limit"] = rng.choice((rng.randint(50, 120), 600, 600, 600))
    if "first_bout" in options:
        options["first_bout"] = rng.choice((5, 6))
    if options.get("trumps", "")[0:1] in tuple("CDHS"):
        options["trumps"] = "".join(rng.sample("CDHS", game.seats))
    return type(game).table(game.seats, options)


def play_both(game: Game, deals: int, rng: random.Random) -> Counter[str]:
    """Play a random match in both implementations. Assert that they agree, and count the questions."""
    seen: Counter[str] = Counter()
    match = Match(game, None if game.fixed_deals else deals, rng.randrange(game.seats))
    state, dealer, scores = match.begin(), match.dealer, [0] * game.seats
    for number in range(1, match.deals + 1):
        assert (state.to_move, state.number, state.dealer) == (CHANCE, number, dealer)
        deck = stacked(game, rng.sample(game.pack, len(game.pack)), rng)
        outsider = OUTSIDERS[game.id](
            game.seats, game.options, number, dealer, [CARD_TEXT[card] for card in deck]
        )
        state = match.deal(state, deck)
        chance = rng.choice(CHANCE_MOVES)
        while outsider.returns is None:
            seen[check(match, state, outsider, scores)] += 1
            seat, text = choice(match, state, outsider, chance, rng)
            before, state = state, match.play(state, seat, match.parse(state, seat, text))
            outsider.play(seat, text)
            check_draws(match.events(before, seat, match.parse(before, seat, text), state), outsider)
            seen[text.split()[0]] += 1
            seen["moves"] += 1
        scores = [total + points for total, points in zip(scores, outsider.returns, strict=True)]
        assert list(state.scores) == scores
        limit = outsider.moves == game.options.get("turn_limit")
        seen["a loser" if any(outsider.returns) else "at the limit" if limit else "a draw"] += 1
        dealer = outsider.next_dealer()
    assert state.to_move == NOBODY
    return seen


def stacked(game: Game, deck: list[int], rng: random.Random) -> list[int]:
    """Return a random deck. Every other one has the lowest trump near the end, where the rules are subtle."""
    upturned = {"durak": 6, "kryt": 3}.get(game.id, 0) * game.seats
    if upturned and upturned + 1 < len(deck) and rng.random() < 0.5:
        here, there = deck.index(game.pack[deck[upturned] % 4]), rng.randrange(-6, 0)
        deck[here], deck[there] = deck[there], deck[here]
    return deck


def choice(
    match: Match, state: MatchState, outsider: OutsiderTable, chance: float, rng: random.Random
) -> tuple[int, str]:
    """Return a random move of any seat that may move, by the second implementation."""
    assert outsider.question is not None
    unasked = [(seat, text) for seat in range(outsider.seats) for text in outsider.unasked(seat)]
    if unasked and rng.random() < 0.1:
        return rng.choice(unasked)
    seat, answers = outsider.question.seat, outsider.question.answers()
    if rng.random() < chance:
        return seat, rng.choice(answers)
    return seat, HOUSE_BOTS["greedy"].choose(match.game, match.observe(state, seat), answers, rng)


def check(match: Match, state: MatchState, outsider: OutsiderTable, scores: list[int]) -> str:
    """Compare the question, the legal moves and the observations. Return the kind of question."""
    assert outsider.question is not None
    asked = outsider.question.seat
    assert state.to_move == asked
    for seat in range(outsider.seats):
        answers = outsider.question.answers() if seat == asked else []
        assert sorted(match.legal_texts(state, seat)) == sorted(answers)
        assert sorted(match.free_texts(state, seat)) == sorted(outsider.unasked(seat))
    so_far = {"deal": outsider.number, "dealer": outsider.dealer, "scores": scores}
    facts = {**outsider.facts(), **so_far}
    for viewer in (None, *range(outsider.seats)):
        expected = dict(facts)
        if viewer is not None:
            expected["hand"] = in_order(outsider.hands[viewer])
        if viewer == asked:
            expected |= outsider.own_facts()
        observed = match.observe(state, viewer)
        assert {name: observed[name] for name in expected} == expected
    return f"asked to {observed['question']}"


def check_draws(events: list[Event], outsider: OutsiderTable) -> None:
    """Compare the draws: who draws how many cards, the public upturned card, and the private cards."""
    drawn = []
    for event in events:
        if event.public["type"] == "drawn":
            view = event.view(event.public["seat"])
            drawn.append((view["seat"], view["count"], view["trump_card"], view["cards"]))
    assert drawn == [
        (seat, len(cards), outsider.upturned if outsider.upturned in cards else None, in_order(cards))
        for seat, cards in outsider.drawn
    ]


def playouts(name: str, seed: int) -> Iterator[Counter[str]]:
    """Play matches at every table of a game in turn, for ever."""
    rng = random.Random(f"{name} {seed}")
    every = tables(name)
    while True:
        rng.shuffle(every)
        for game in every:
            yield play_both(varied(game, rng), rng.choice((1, 2, 3)), rng)
