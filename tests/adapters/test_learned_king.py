"""The example that learns King: its tables follow the rules, its features know no hidden card, its moves are legal."""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from bots.search import Determinizer
from bots.search.policies import POLICIES
from engine.cards import CARD_OF_TEXT, SUITS
from engine.game import NOBODY
from engine.games.king import PLAYERS, King, hands_by_seat
from examples.learning.king.bot import kind_of, replayed
from examples.learning.king.network import BadWeights, Weights, fresh, load, save
from examples.learning.king.tables import KINDS, Tables, engine_card, swapped, table_card
from examples.learning.king.train import train
from kozyr.cli.main import main
from tests.bots.search_strength import PlayedDeal

GAME = King.table(4, {})


def untrained() -> dict[str, Weights]:
    rng = np.random.default_rng(1)
    return {kind.name: fresh(8, rng) for kind in KINDS}


def dealt(number: int, rng: random.Random) -> PlayedDeal:
    """Return a deal after a random declaration."""
    deal = PlayedDeal(GAME, number, rng.randrange(PLAYERS), rng.sample(GAME.pack, len(GAME.pack)))
    if deal.state.terms.stock:
        deal.play(deal.state.to_move, rng.choice(deal.state.legal))
    return deal


@pytest.mark.parametrize("number", range(1, 13))
def test_tables_follow_the_rules(number: int) -> None:
    rng = random.Random(number)
    for _ in range(30):
        deal = dealt(number, rng)
        seen = GAME.observe(deal.state, 0)
        trump = SUITS.index(seen["trump"]) if seen["trump"] else 0
        hands = np.zeros((1, PLAYERS, 32), bool)
        for seat, hand in enumerate(hands_by_seat(deal.state.hands)):
            hands[0, seat, [swapped(table_card(card), trump) for card in hand]] = True
        tables = Tables(kind_of(seen), hands, np.array([deal.state.to_move]))
        while deal.state.to_move != NOBODY:
            seat = deal.state.to_move
            assert tables.to_move == seat
            legal = {engine_card(int(swapped(card, trump))) for card in np.flatnonzero(tables.legal()[0])}
            assert legal == set(deal.state.legal)
            card = rng.choice(deal.state.legal)
            tables.play(np.array([swapped(table_card(card), trump)]))
            deal.play(seat, card)
        assert tuple(tables.taken[0]) == GAME.returns(deal.state)


@pytest.mark.parametrize("number", range(1, 13))
def test_features_are_the_same_wherever_the_hidden_cards_are(number: int) -> None:
    rng = random.Random(number)
    deal = dealt(number, rng)
    while deal.state.to_move != NOBODY:
        seat = deal.state.to_move
        _, _, seen, _, history = deal.asked(seat)
        tables, trump = replayed(seen, history)
        features = tables.features(tables.legal())
        for _ in range(3):
            # The same deal with other hidden cards, followed with all hands open.
            state = Determinizer(GAME, POLICIES["king"].read, seen, history).draw(rng)
            hands = np.zeros((1, PLAYERS, 32), bool)
            gone = [(event["seat"], event["move"]) for event in history if event["type"] == "move"]
            open_hands = [set(hand) for hand in hands_by_seat(state.hands)]
            cards = [(who, CARD_OF_TEXT[text.split(" ")[1]]) for who, text in gone if text.startswith("play")]
            for who, card in cards:
                open_hands[who].add(card)
            for who, hand in enumerate(open_hands):
                hands[0, who, [swapped(table_card(card), trump) for card in hand]] = True
            opened = Tables(kind_of(seen), hands, np.array([state.terms.first]))
            if state.terms.shown >= 0:
                opened.show(
                    np.array([state.terms.first]), np.array([swapped(table_card(state.terms.shown), trump)])
                )
            for _, card in cards:
                opened.play(np.array([swapped(table_card(card), trump)]))
            assert np.array_equal(opened.features(opened.legal()), features)
        deal.play(seat, rng.choice(deal.state.legal))


def test_one_round_of_training_writes_weights_that_load(tmp_path: Path) -> None:
    out = tmp_path / "king.npz"
    asked = argparse.Namespace(
        minutes=0, seed=1, hidden=8, deals=2, rate=1e-3, explore=0.1, start=None, out=out
    )
    train(asked)
    first = load(out)
    train(argparse.Namespace(**{**vars(asked), "start": out}))
    assert any(
        not np.array_equal(one, other)
        for kind in KINDS
        for one, other in zip(first[kind.name], load(out)[kind.name], strict=True)
    )


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (lambda path: path.unlink(), "can't be read"),
        (lambda path: path.write_bytes(b"PK nonsense"), "can't be read"),
        (lambda path: path.write_bytes(path.read_bytes()[:-900]), "can't be read"),
        (lambda path: save(path, {}, {}), "can't be read"),
        (lambda path: save(path, {kind.name: [np.zeros((2, 2))] * 6 for kind in KINDS}, {}), "another shape"),
        (lambda path: save(path, untrained(), {"format": 99}), "another version"),
    ],
)
def test_a_bad_file_of_weights_gets_a_clear_error(tmp_path: Path, spoil: Any, why: str) -> None:
    path = tmp_path / "king.npz"
    save(path, untrained(), {})
    spoil(path)
    with pytest.raises(BadWeights, match=why):
        load(path)


def test_the_bot_plays_in_a_local_tournament(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    save(tmp_path / "king.npz", untrained(), {})
    bots = ["learned=examples.learning.king.bot:Learned", "greedy", "random", "search:1"]
    result = CliRunner().invoke(
        main, ["play", *bots, "--game", "king", "--deals", "12", "--jobs", "1", "--json"]
    )
    assert result.exit_code == 0, result.output
    assert {row["bot"]: row["forfeits"] for row in json.loads(result.stdout)["bots"]}["local/learned"] == 0
