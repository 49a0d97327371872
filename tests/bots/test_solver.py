"""The solver agrees with brute force on the engine, and `search` throws no decided ending away."""

from __future__ import annotations

import random
from collections.abc import Mapping
from contextlib import suppress
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from pathlib import Path
from typing import Any

import pytest

from bots.house import HOUSE_BOTS
from bots.search.bot import SearchBot, solved_nodes
from bots.search.budget import Iterations
from bots.search.policies import POLICIES
from bots.search.tree import Tree
from bots.solver import Solution, Unsolvable, solve
from bots.solver.besikovich import PackSolver, pack_value
from bots.solver.durak import last_two
from bots.solver.graph import GraphSearch
from bots.solver.piles import key_of
from engine.cards import CARD_TEXT, mask_of
from engine.game import NOBODY, Game, Move
from engine.games.durak import Durak, DurakState
from engine.games.king import _BIT_AT, King, _begun, hands_by_seat
from engine.games.kryt import Kryt
from engine.games.svoi_kozyri import SvoiKozyri
from engine.pile import PileGame
from tests.bots.search_strength import PlayedDeal
from tests.engine.pile_positions import position as pile_position
from tests.engine.test_durak import position

TWO = Durak.table(2, {})


@cache
def brute_force(state: DurakState) -> int:
    """Return what seat 0 gets more than seat 1."""
    if state.to_move == NOBODY:
        first, second = TWO.returns(state)
        return first - second
    found = [brute_force(_unnumbered(TWO.play(state, state.to_move, move))) for move in state.legal]
    return min(found) if state.to_move else max(found)


def _unnumbered(state: DurakState) -> DurakState:
    return state._replace(moves=0, bout=state.bout._replace(lain=0))


def solved(state: DurakState, nodes: int = 10**9) -> Solution:
    solution = solve(TWO, state, nodes)
    assert solution is not None
    return solution


def by_brute_force(state: DurakState) -> dict[Move, int]:
    """Return the value of each legal move for the seat to move."""
    sign = -1 if state.to_move else 1
    return {
        move: sign * brute_force(_unnumbered(TWO.play(state, state.to_move, move))) for move in state.legal
    }


def endings(seed: int, cards: int) -> Any:
    """Yield random endings: the beginning of a bout, and each state of a random continuation."""
    rng = random.Random(seed)
    while True:
        hand = [CARD_TEXT[card] for card in rng.sample(TWO.pack, rng.randint(2, cards))]
        cut = rng.randint(1, len(hand) - 1)
        state = position(
            TWO, {0: " ".join(hand[:cut]), 1: " ".join(hand[cut:])}, rng.randrange(2), rng.choice("CDHS")
        )
        while state.to_move != NOBODY:
            yield state
            state = TWO.play(state, state.to_move, rng.choice(state.legal))


def agrees(positions: int, cards: int, seed: int) -> None:
    questions = set()
    for _, state in zip(range(positions), endings(seed, cards), strict=False):
        assert solved(state).values == by_brute_force(state), TWO.observe(state, None)
        questions.add(state.question)
        if brute_force.cache_info().currsize > 500_000:
            brute_force.cache_clear()
    assert len(questions) == 4
    brute_force.cache_clear()


def test_values_are_those_of_brute_force() -> None:
    agrees(400, cards=6, seed=1)


@pytest.mark.ci
@pytest.mark.parametrize("seed", range(2, 6))
def test_values_are_those_of_brute_force_in_ten_thousand_positions(seed: int) -> None:
    agrees(2500, cards=8, seed=seed)


def test_an_ending_with_one_way_to_win() -> None:
    state = position(TWO, {0: "6C 9C", 1: "7C AD"}, 0)
    # After `attack 9C, take` the other holds three cards and 6C ends the deal. 6C first is beaten with 7C.
    solution = solved(state)
    assert {TWO.text(state, move): value for move, value in solution.values.items()} == {
        "attack 6C": -1,
        "attack 9C": 1,
    }
    assert solution.value == 1
    assert [TWO.text(state, move) for move in solution.best] == ["attack 9C"]


FOUR = Durak.table(4, {})


def by_iteration(game: Game, state: Any) -> dict[Move, int]:
    """Return the value of each legal move in a game that can go round for ever, from all positions reachable."""
    after: dict[Any, list[Any]] = {}
    values: dict[Any, int] = {}
    waiting = [state]
    while waiting:
        here = waiting.pop()
        if here in after or here in values:
            continue
        if here.to_move == NOBODY:
            values[here] = game.returns(here)[0] - game.returns(here)[1]
            continue
        after[here] = [plain(game, game.play(here, here.to_move, move)) for move in here.legal]
        waiting += after[here]
    changed = True
    while changed:
        changed = False
        for here, following in after.items():
            wish = -1 if game.sides[here.to_move] else 1
            found = [values.get(each) for each in following]
            for value in (wish, -wish):
                if here not in values and (
                    value in found if value == wish else all(each == value for each in found)
                ):
                    values[here] = value
                    changed = True
    sign = -1 if game.sides[state.to_move] else 1
    return {
        move: sign * values.get(plain(game, game.play(state, state.to_move, move)), 0) for move in state.legal
    }


def plain(game: Game, state: Any) -> Any:
    """Return the state without its memory of the past."""
    if game.id != "durak":
        return state._replace(moves=0, legal=tuple(state.legal), seen=0)
    _, beats, unbeaten, cards, fitting = state.table
    table = (tuple(sorted(state.table[0])), beats[:1] and (0,), unbeaten, cards, fitting)
    return state._replace(moves=0, table=table, bout=state.bout._replace(lain=0))


def small_piles(game: PileGame, rng: random.Random, cards: int) -> Any:
    """Return a random position with so few cards that everything reachable can be looked at."""
    held = rng.sample(game.pack, rng.randint(2, cards))
    first, second = sorted(rng.sample(range(1, len(held) + 1), 2))
    hands = (mask_of(held[:first]), mask_of(held[first:second]))
    deal = game.deal(2, 0, game.pack)
    return plain(game, game.ask(rng.randrange(2), hands, tuple(held[second:]), (), 0, False, 0, deal.dealt))


SMALL_PILES = [
    pytest.param(cls.table(2, options), cards, id=f"{cls.id}-{label}")
    for cls, label, options, cards in (
        (Kryt, "turned", {}, 5),
        (Kryt, "fixed", {"trumps": "fixed"}, 5),
        (SvoiKozyri, "modern", {}, 5),
        (SvoiKozyri, "besikovich", {"layout": "besikovich"}, 6),
    )
]


def agrees_in_piles(game: PileGame, cards: int, positions: int, seed: int) -> None:
    rng, seen = random.Random(seed), set()
    for _ in range(positions):
        state = small_piles(game, rng, cards)
        found = GraphSearch(game, key_of(game, state), 10**7).bounds(state)
        right = by_iteration(game, state)
        assert found == {move: (value, value) for move, value in right.items()}, game.observe(state, None)
        seen |= set(right.values())
    assert seen == {-1, 0, 1}


@pytest.mark.parametrize(("game", "cards"), SMALL_PILES)
def test_pile_games_agree_with_iteration_over_all_positions(game: PileGame, cards: int) -> None:
    agrees_in_piles(game, cards, 200, 1)


@pytest.mark.ci
@pytest.mark.parametrize(("game", "cards"), SMALL_PILES)
def test_pile_games_agree_in_ten_thousand_positions(game: PileGame, cards: int) -> None:
    agrees_in_piles(game, cards, 2500, 2)


@pytest.mark.parametrize("ranks", [1, pytest.param(2, marks=pytest.mark.ci)])
def test_besikovich_of_small_packs_agrees_with_iteration_over_all_positions(ranks: int) -> None:
    """The rules have no pack so small, so the hands are those of the layout in a larger one."""
    game = SvoiKozyri.table(2, {"layout": "besikovich", "lowest_rank": "T", "trumps": "CD"})
    solver, dealt = PackSolver(ranks), game.deal(1, 1, game.pack).dealt
    solver.sweep()
    whole = [4 * rank + suit for suit in range(4) for rank in range(13 - ranks, 13)]
    values = set()
    for a, x in product(range(1 << ranks), repeat=2):
        layout = solver.layout(a, x)
        hands = [
            mask_of([card for place, card in enumerate(whole) if layout >> place & 1 == side])
            for side in (1, 0)
        ]
        state = plain(game, game.ask(0, tuple(hands), (), (), 0, False, 0, dealt))
        values.add(solver.value(layout))
        assert solver.value(layout) == max(by_iteration(game, state).values()), (a, x)
    assert values == {0, 1}


def test_the_layouts_of_a_pack_are_those_that_the_rules_deal() -> None:
    game = SvoiKozyri.table(2, {"layout": "besikovich", "lowest_rank": "T", "trumps": "CD"})
    whole = [4 * rank + suit for suit in range(4) for rank in range(8, 13)]
    # With C as the leader's trumps and D as the dealer's, H is the first free suit.
    layouts = {PackSolver(5).layout(a, x) for a, x in product(range(32), repeat=2)}
    rng = random.Random(1)
    for _ in range(50):
        hand = game.deal(1, 1, rng.sample(game.pack, 20)).hands[0]
        assert sum(1 << place for place, card in enumerate(whole) if hand >> card & 1) in layouts


def test_the_values_of_packs_are_those_of_the_docs() -> None:
    found = [pack_value(ranks) for ranks in (1, 2, 3)]
    assert [(each.first, each.draw, each.second) for each in found] == [
        (Fraction(1, 2), Fraction(1, 2), 0),
        (Fraction(11, 14), Fraction(3, 14), 0),
        (Fraction(28, 33), Fraction(1, 11), Fraction(2, 33)),
    ]
    page = (Path(__file__).parents[2] / "docs/house-bots.md").read_text(encoding="utf-8")
    for each in found:
        shares = " | ".join([f"{float(share):.3f}" for share in (each.first, each.draw, each.second)])
        assert f"| {shares} | {float(each.value):+.3f} |" in page


OTHER_DURAK = [
    pytest.param(Durak.table(seats, options), cards, id=label)
    for label, seats, options, cards in (
        ("teams", 4, {"teams": True}, 6),
        ("batches", 2, {"batch_attacks": True}, 5),
        ("transfer", 2, {"transfer": True}, 5),
    )
]


def agrees_in_durak(game: Durak, cards: int, positions: int, seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(positions):
        held = [CARD_TEXT[card] for card in rng.sample(game.pack, rng.randint(game.seats, cards))]
        hands = {seat: " ".join(held[seat :: game.seats]) for seat in range(game.seats)}
        state = plain(game, position(game, hands, rng.randrange(game.seats), rng.choice("CDHS")))
        solution = solve(game, state, 10**7, open_hands=True)
        assert solution is not None
        assert solution.values == by_iteration(game, state), game.observe(state, None)


@pytest.mark.parametrize(("game", "cards"), OTHER_DURAK)
def test_teams_and_other_rules_agree_with_iteration_over_all_positions(game: Durak, cards: int) -> None:
    agrees_in_durak(game, cards, 150, 1)


@pytest.mark.ci
@pytest.mark.parametrize(("game", "cards"), OTHER_DURAK)
def test_teams_and_other_rules_agree_in_ten_thousand_positions(game: Durak, cards: int) -> None:
    agrees_in_durak(game, cards, 3400, 2)


KING = King.table(4, {})


def sure_of(state: Any, seat: int) -> int:
    """Return the points of the seat if all others play against it."""
    if state.to_move == NOBODY:
        return KING.returns(state)[seat]
    found = [sure_of(KING.play(state, state.to_move, move), seat) for move in state.legal]
    return max(found) if state.to_move == seat else min(found)


def agrees_in_king(positions: int, seed: int) -> None:
    rng = random.Random(seed)
    number = 0
    while number < positions:
        state = KING.deal(number % 12 + 1, 0, rng.sample(KING.pack, 32))
        while state.terms.stock or len(state.tricks) < 5 or rng.random() < 0.3:
            state = KING.play(state, state.to_move, rng.choice(state.legal))
            if state.to_move == NOBODY:
                break
        else:
            seat = state.to_move
            solution = solve(KING, state, open_hands=True)
            assert solution is not None
            right = {move: sure_of(KING.play(state, seat, move), seat) for move in state.legal}
            assert solution.values == right, KING.observe(state, None)
            number += 1


def test_the_last_tricks_of_king_are_worth_what_the_seat_is_sure_of() -> None:
    agrees_in_king(120, 1)


@pytest.mark.ci
@pytest.mark.parametrize("seed", range(2, 6))
def test_the_last_tricks_of_king_agree_in_ten_thousand_positions(seed: int) -> None:
    agrees_in_king(2500, seed)


@pytest.mark.parametrize(
    ("game", "hands", "talon", "reason"),
    [
        (TWO, {0: "7C 8C", 1: "9C TC"}, "6H", "cards are hidden: 1 in the talon"),
        (TWO, {0: "7C 8C", 1: "8C TC"}, "", "can't arise: 8C lies in two places"),
        (TWO, {0: "7C 2C", 1: "8C TC"}, "", "can't arise: 2C is not in the pack"),
        (
            FOUR,
            {0: "7C 8C", 1: "9C TC", 2: "6S", 3: "7S"},
            "",
            "cards are hidden: the hands of seats 0, 1, 2, 3",
        ),
    ],
)
def test_hidden_cards_and_impossible_positions_are_refused(
    game: Durak, hands: dict[int, str], talon: str, reason: str
) -> None:
    with pytest.raises(Unsolvable, match=reason):
        solve(game, position(game, hands, 0, talon=talon))


@pytest.mark.parametrize(
    ("game", "hands", "pile", "stock", "reason"),
    [
        (Kryt.table(2, {}), ["6C 7C", "8C"], "9C", "TC JC", "cards are hidden: 2 in the stock"),
        (Kryt.table(2, {}), ["6C 7C", "8C"], "9C", "", "can't arise: cards are missing"),
        (Kryt.table(2, {}), ["6C 2C", "8C"], "9C", "", "can't arise: 2C is not in the pack"),
        (SvoiKozyri.table(2, {}), ["6C 7C", "6C"], "9C", "", "can't arise: 6C lies in two places"),
        (SvoiKozyri.table(2, {"layout": "besikovich"}), ["6C", "7C"], "9C", "", "cards are missing"),
        (SvoiKozyri.table(3, {}), ["6C", "7C", "8C"], "9C", "", "only the pile games for two"),
    ],
)
def test_impossible_positions_of_pile_games_are_refused(
    game: PileGame, hands: list[str], pile: str, stock: str, reason: str
) -> None:
    with pytest.raises(Unsolvable, match=reason):
        solve(game, pile_position(game, hands, pile, stock=stock))


def test_impossible_positions_of_king_are_refused() -> None:
    first, declaring = KING.deal(1, 0, KING.pack), KING.deal(8, 0, KING.pack)
    lowest = first.hands & -first.hands
    for state, reason in (
        (first, "cards are hidden: seat 1 can't tell the others"),
        (declaring, "cards are hidden: 20 are not dealt yet"),
        (first._replace(hands=first.hands ^ lowest), "can't arise: cards are missing"),
        (first._replace(trick=(1, first.legal[0])), "can't arise: .* lies in two places"),
    ):
        with pytest.raises(Unsolvable, match=reason):
            solve(KING, state)


def test_two_players_who_are_left_of_four_know_each_other_s_hand() -> None:
    game = Durak.table(4, {"teams": True})
    state = position(game, {0: "7C 9D", 1: "8C 6S", 2: "", 3: ""}, 0)
    assert solve(game, state) == solve(game, state, open_hands=True)


def test_in_king_a_seat_knows_the_hands_that_could_lie_in_one_way_only() -> None:
    """The oracle deals the other cards in all ways and replays the tricks with each."""
    rng, known, hidden = random.Random(5), 0, 0
    while min(known, hidden) < 30:
        state = KING.deal(rng.randrange(12) + 1, 0, rng.sample(KING.pack, 32))
        while state.to_move != NOBODY and (state.terms.stock or len(state.tricks) < 5):
            state = KING.play(state, state.to_move, rng.choice(state.legal))
        while state.to_move != NOBODY:
            try:
                solve(KING, state)
                is_known = True
            except Unsolvable:
                is_known = False
            assert is_known == (ways_to_lie(state) == 1)
            known, hidden = known + is_known, hidden + (not is_known)
            state = KING.play(state, state.to_move, rng.choice(state.legal))


def ways_to_lie(state: Any) -> int:
    """Return in how many ways the cards that the seat to move does not see could lie."""
    hands = hands_by_seat(state.hands)
    others = [seat for seat in range(4) if seat != state.to_move]
    unseen = [card for seat in others for card in hands[seat]]
    first, second = (combinations(unseen, len(hands[seat])) for seat in others[:2])
    found = 0
    for one, two in product(list(first), list(second)):
        rest = set(unseen) - set(one) - set(two)
        if len(rest) == len(hands[others[2]]):
            dealt = dict(zip(others, (one, two, tuple(rest)), strict=True))
            found += could_be(state, {**dealt, state.to_move: tuple(hands[state.to_move])})
    return found


def could_be(state: Any, hands: dict[int, tuple[int, ...]]) -> bool:
    """Return whether the seats, with these cards now, could have played what they have played."""
    held = {seat: list(hand) for seat, hand in hands.items()}
    played = []
    for leader, *cards in (*state.tricks, state.trick):
        played += [((leader + place) % 4, card) for place, card in enumerate(cards)]
    for seat, card in played:
        held[seat].append(card)
    shown = state.terms.shown
    if shown >= 0 and shown not in held[state.terms.first]:
        return False
    terms = state.terms
    bits = sum(_BIT_AT[seat][card] for seat, hand in held.items() for card in hand)
    now = _begun(bits, terms)
    for seat, card in played:
        if now.to_move != seat or card not in now.legal:
            return False
        now = KING.play(now, seat, card)
    return True


@pytest.mark.parametrize(
    ("seats", "options"),
    [(3, {}), (5, {}), (4, {"teams": True}), (4, {"transfer": True, "batch_attacks": True})],
)
def test_the_last_two_players_play_on_as_at_a_table_for_two(seats: int, options: dict[str, Any]) -> None:
    game, rng, questions = Durak.table(seats, options), random.Random(6), set[int]()
    for _ in range(150):
        state = game.deal(2, 0, rng.sample(game.pack, len(game.pack)))
        while state.to_move != NOBODY and last_two(game, state)[1] is state:
            state = game.play(state, state.to_move, rng.choice(state.legal))
        if state.to_move == NOBODY:
            continue
        two, twin = last_two(game, state)
        assert two.seats == 2
        inside = [seat for seat, hand in enumerate(state.hands) if hand or seat == state.bout.defender]
        while state.to_move != NOBODY:
            assert (twin.legal, twin.question) == (state.legal, state.question)
            assert inside[twin.to_move] == state.to_move
            questions.add(state.question)
            move = rng.choice(state.legal)
            state = game.play(state, state.to_move, move)
            twin = two.play(twin, twin.to_move, move)
        points = game.returns(state)
        assert twin.to_move == NOBODY
        assert two.returns(twin) == tuple([points[seat] for seat in inside])
    assert questions >= {0, 1, 2, 3}


def test_a_deal_that_is_over_is_refused() -> None:
    state = position(TWO, {0: "7C", 1: "8C"}, 0)
    for move in ("attack 7C", "take"):
        state = TWO.play(state, state.to_move, TWO.parse(state, state.to_move, move))
    with pytest.raises(Unsolvable, match="the deal is over"):
        solve(TWO, state)


def test_a_solution_out_of_reach_is_none() -> None:
    state = position(TWO, {0: "6C 7D 8S 9C TD JS", 1: "6D 7S 8C 9D TS JC"}, 0)
    assert solve(TWO, state, 5) is None


@pytest.mark.parametrize(
    ("cls", "seats", "options", "deals"),
    [
        (Durak, 2, {}, 12),
        (Kryt, 2, {}, 24),
        pytest.param(Durak, 2, {"transfer": True}, 4, marks=pytest.mark.ci),
        pytest.param(Durak, 4, {"teams": True}, 12, marks=pytest.mark.ci),
        pytest.param(SvoiKozyri, 2, {}, 36, marks=pytest.mark.ci),
        pytest.param(SvoiKozyri, 2, {"layout": "besikovich"}, 12, marks=pytest.mark.ci),
    ],
)
def test_search_gives_nothing_away_in_an_ending_that_it_solves(
    cls: type[Game], seats: int, options: dict[str, Any], deals: int
) -> None:
    """Two playouts a move show that the solution decides, and not the search."""
    bot, greedy, decided = SearchBot("search", Iterations(2)), HOUSE_BOTS["greedy"], 0
    game = cls.table(seats, options)
    for number in range(deals):
        rng = random.Random(f"endings {number}")
        deal = PlayedDeal(game, 2, 0, rng.sample(game.pack, len(game.pack)))
        while deal.state.to_move != NOBODY:
            state, seat, seen, legal, history = deal.asked(deal.state.to_move)
            text, found = greedy.choose(game, seen, legal, rng), reachable(game, state)
            if len(set(found.values())) > 1:
                text = bot.think(game, seen, legal, history, rng)
                assert found[game.parse(state, seat, text)] == max(found.values())
                decided += 1
            deal.play(seat, game.parse(state, seat, text))
    assert decided > 3


def reachable(game: Game, state: Any) -> Mapping[Move, int]:
    """Return the values that the bot can find."""
    nodes = solved_nodes(game, state)
    with suppress(Unsolvable):
        solution = solve(game, state, nodes) if nodes else None
        return solution.values if solution else {}
    return {}


def test_the_tree_finds_the_best_move_of_small_pile_positions() -> None:
    game, rng = SvoiKozyri.table(2, {"layout": "besikovich"}), random.Random(4)
    found: list[bool] = []
    while len(found) < 40:
        state = small_piles(game, rng, 6)
        values = by_iteration(game, state)
        if len(set(values.values())) > 1:
            piles = POLICIES[game.id].position(game, state, rng)
            assert piles is not None
            tree = Tree(piles, state.legal)
            found.append(values[tree.run(Iterations(200).start())] == max(values.values()))
    assert sum(found) >= 38
