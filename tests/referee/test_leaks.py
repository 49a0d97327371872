"""Nothing leaks: two matches that differ only in what a viewer can't see look the same to it, byte by byte.

A test plays a match with random moves. Then it swaps two cards in the deck that the viewer hasn't seen, and makes the
same moves on the other deck, with the same id and at the same instants. It compares everything that the viewer can get.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import pytest

from engine.cards import CARD_TEXT
from engine.game import Refusal
from engine.match import Match, MatchState
from engine.registry import GAMES
from records.errors import RefereeError
from records.match import views
from records.match.move_requests import MoveRequest
from redisio.connection import Redis
from tests.referee.world import (
    AN_ID,
    FIVE,
    LAST_DRAW,
    SECRET,
    UNTIL_THE_LAST_DRAW,
    ManualClock,
    World,
    as_bytes,
    cards,
    short,
    stack,
    texts,
)
from tests.support.words import tries

Played = list[tuple[int, str]]


def table(game: str, seats: int) -> Match:
    rules = GAMES[game].table(seats, short(game)["options"])
    return Match(rules, None, 0)


def random_play(match: Match, deck: Sequence[int], count: int, rng: Random) -> tuple[Played, MatchState]:
    """Return this many random moves of the first deal, and the state after them."""
    state = match.deal(match.begin(), deck)
    moves: Played = []
    for _ in range(count):
        free = [
            (seat, move)
            for seat in range(match.game.seats)
            for move in match.game.free_moves(state.deal, seat)
        ]
        options = [(state.to_move, move) for move in state.deal.legal]
        seat, move = rng.choice(free) if free and rng.random() < 0.3 else rng.choice(options)
        after = match.play(state, seat, move)
        if after.deal is None or after.over:
            break
        moves.append((seat, match.text(state, move)))
        state = after
    return moves, state


def same_play(match: Match, deck: Sequence[int], moves: Played) -> MatchState | None:
    """Return the state after the same moves on another deck, if they are legal there."""
    state = match.deal(match.begin(), deck)
    try:
        for seat, text in moves:
            state = match.play(state, seat, match.parse(state, seat, text))
            if state.deal is None:
                return None
    except Refusal:
        return None
    return state


def engine_view(match: Match, deck: Sequence[int], moves: Played, viewer: int | None) -> bytes:
    """Return what the rules show the viewer of this play."""
    state = match.deal(match.begin(), deck)
    dealt = [event.view(viewer) for event in match.deal_events(state)]
    for seat, text in moves:
        move = match.parse(state, seat, text)
        after = match.play(state, seat, move)
        dealt += [event.view(viewer) for event in match.events(state, seat, move, after)]
        state = after
    return as_bytes([dealt, match.observe(state, viewer)])


def pairs(
    game: str, seats: int, viewer: int | None, seed: int
) -> Iterator[tuple[list[int], list[int], Played]]:
    """Return two decks and moves on both that look the same to the viewer."""
    rng = Random(f"{game} {seats} {viewer} {seed}")
    match = table(game, seats)
    deck = list(match.game.pack)
    rng.shuffle(deck)
    moves, _ = random_play(match, deck, rng.randrange(0, 40), rng)
    seen = engine_view(match, deck, moves, viewer).decode()
    hidden = [at for at, card in enumerate(deck) if f'"{CARD_TEXT[card]}"' not in seen]
    hidden = [at for at in hidden if all(CARD_TEXT[deck[at]] not in text for _, text in moves)]
    rng.shuffle(hidden)
    for one, other in zip(hidden[::2], hidden[1::2], strict=False):
        swapped = list(deck)
        swapped[one], swapped[other] = deck[other], deck[one]
        if same_play(match, swapped, moves) is not None:
            yield deck, swapped, moves


def all_that_is_seen(
    redis: Redis, game: str, seats: int, moves: Played, viewer: int | None, **more: object
) -> Iterator[tuple[str, bytes]]:
    """Return everything that the viewer can get about this match."""
    world = World(redis)
    world.plain.flushall()
    clock = ManualClock(redis)
    redis.one("SET", "kozyr:epoch", b"an epoch")
    settings: dict[str, Any] = {"dealer": 0, **short(game), **more}
    match = world.match(seats, game=game, match_id=AN_ID, secret=SECRET, **settings)
    bot = "bot-99" if viewer is None else f"bot-{viewer}"
    since = None
    for nth, (seat, text) in enumerate(moves):
        clock.advance(100)
        free = text in world.free(match, seat)
        moved = world.act(match, text, seat=seat, deal=1 if free else None)
        yield f"the answer to move {nth}", as_bytes(views.moved_view(moved)) if seat == viewer else b""
        if nth % 7 == 0:
            answer = world.poll(bot, 0.0, since)
            since = answer["since"]
            yield f"the poll after move {nth}", as_bytes(answer)
    loaded = world.look(match)
    yield "the match", as_bytes(views.match_view(loaded, viewer, masked=False))
    yield "its line in a list", as_bytes(views.match_summary(loaded))
    yield "the events", as_bytes(world.turns.events(match, bot, 0, 0.0, 1_000_000))
    yield "the poll", as_bytes(world.poll(bot, 0.0))
    yield "the poll since", as_bytes(world.poll(bot, 0.0, since))
    yield "the lists", as_bytes(world.ids())
    texts = tries(loaded.config.table().pack)
    if viewer is not None and loaded.progress.to_move == viewer:
        may = [*world.legal(match, viewer), *world.free(match, viewer)]
        texts = [text for text in texts if text not in may]
    elif viewer is not None:
        texts = [text for text in texts if text not in world.free(match, viewer)]
    before = world.dump()
    for key in ({"turn": loaded.progress.turn}, {"deal": 1}, {"turn": 1}):
        for text in texts if "turn" in key else texts[:20]:
            yield f"the refusal of {text} {key}", refusal(world, bot, MoveRequest(match, text, **key))
    assert world.dump() == before


def refusal(world: World, bot: str, request: MoveRequest) -> bytes:
    try:
        moved = world.referee.moves.move(bot, request)
    except RefereeError as error:
        return as_bytes([error.code, str(error), dict(error.details)])
    assert moved.replayed, f"{request} should be refused"
    return as_bytes(views.moved_view(moved))


def compare(
    redis: Redis, monkeypatch: pytest.MonkeyPatch, decks: Sequence[Sequence[int]], game: str, seats: int,
    moves: Played, viewer: int | None, **more: object,
) -> None:  # fmt: skip
    seen = []
    for deck in decks:
        with monkeypatch.context() as patched:
            stack(patched, {1: deck})
            seen.append(list(all_that_is_seen(redis, game, seats, moves, viewer, **more)))
    for (what, one), (_, other) in zip(*seen, strict=True):
        assert one == other, f"{what} differs for {viewer}: {texts(decks[0])} / {texts(decks[1])}, {moves}"


CASES = [
    (game, seats)
    for game, rules in GAMES.items()
    for seats in sorted({min(rules.seat_counts), min(3, max(rules.seat_counts)), max(rules.seat_counts)})
    if seats in rules.seat_counts
]


@pytest.mark.parametrize(("game", "seats"), CASES)
def test_hidden_cards_change_nothing_that_a_viewer_can_get(
    redis: Redis, monkeypatch: pytest.MonkeyPatch, game: str, seats: int
) -> None:
    compared = 0
    for seed in range(8):
        viewer = Random(seed).choice([None, *range(seats)])
        for one, other, moves in pairs(game, seats, viewer, seed):
            compare(redis, monkeypatch, [one, other], game, seats, moves, viewer)
            compared += 1
            break
        if compared == 3:
            break
    assert compared, "no pair of matches differs only in hidden cards"


@pytest.mark.parametrize("viewer", [None, 0, 1, 3, 4])
def test_nobody_else_can_tell_who_drew_the_last_six(
    redis: Redis, monkeypatch: pytest.MonkeyPatch, viewer: int | None
) -> None:
    """After the last draw seats 0 and 2 are asked, whether one of them or nobody holds the six."""
    moves = [
        (0, "attack 7C"),
        (1, "beat 7C 8C"),
        (0, "throw 7D"),
        (1, "take"),
        (0, "throw 7S"),
        (0, "throw 8D"),
    ]
    moves += [(0, "pass"), (2, "throw 8S"), (2, "pass"), (3, "throw 8H"), (0, "pass")]
    assert [text for _, text in moves[:-1]] == list(UNTIL_THE_LAST_DRAW)
    other = list(LAST_DRAW)
    six, instead = cards("6H 6D" if viewer == 4 else "6H 6C")  # seat 4 holds the 6C, seat 0 has drawn the 6D
    there, here = other.index(six), other.index(instead)
    other[there], other[here] = instead, six
    compare(redis, monkeypatch, [LAST_DRAW, other], "durak", 5, moves, viewer, **FIVE)


def test_the_comparison_notices_a_leak(redis: Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison above fails for a view of the whole state."""
    one, other, moves = next(pairs("durak", 3, None, 1))
    whole = views.observation

    def leaky(loaded: object, viewer: int | None) -> object:
        seen = whole(loaded, viewer)  # type: ignore[arg-type]  # a Live
        return seen and {**seen, "hands": repr(loaded.state)}  # type: ignore[attr-defined]  # as above

    monkeypatch.setattr(views, "observation", leaky)
    with pytest.raises(AssertionError, match="the match differs"):
        compare(redis, monkeypatch, [one, other], "durak", 3, moves, None)
