"""Moves: each is made exactly once or not at all."""

from __future__ import annotations

from random import Random

import pytest

from engine.registry import GAMES
from records.errors import FreeMoveWithTurn, MoveNotLegal, NotAMoveText, NotYourTurn, RefereeError, StaleTurn
from records.match.loaded_match import MoveResult
from records.match.move_requests import MoveRequest
from records.match.session import Status
from records.match.views import moved_view
from redisio.connection import Redis
from tests.referee.world import (
    EXCHANGE,
    EXCHANGE_ON_TURN,
    FIVE,
    LAST_DRAW,
    T0,
    TWO,
    UNTIL_THE_LAST_DRAW,
    ManualClock,
    World,
    at_once,
    durak_deck,
    seconds_ago,
    short,
    stack,
)


def again(first: MoveResult) -> dict[str, object]:
    """Return the response to a repeated move."""
    return {**moved_view(first), "replayed": True}


def test_a_retried_move_gets_the_first_result(world: World, clock: ManualClock) -> None:
    match = world.match(2)
    clock.advance(1_700)
    seat, move = world.look(match).progress.to_move, world.legal(match)[0]
    first = world.act(match, move)
    assert moved_view(first) == {
        "match": match,
        "seat": seat,
        "turn": 1,
        "move": move,
        "ms": 1_700,
        "charged_ms": 700,
        "replayed": False,
    }
    before = world.dump()
    for _ in range(2):
        assert moved_view(world.act(match, move, seat=seat, turn=1)) == again(first)
    assert world.dump() == before


def test_a_retry_long_afterwards_gets_the_first_result(world: World) -> None:
    match = world.match(2, deals=3)
    made = []
    while not world.look(match).finished:
        result = world.act(match, world.random.choice(world.legal(match)))
        made += [result] if result.entry.turn else []
        number = world.look(match).progress.number
        if number > 1 and len(made) % 25 == 0:
            for earlier in (made[0], made[len(made) // 2], made[-1]):
                assert moved_view(_sent_again(world, earlier)) == again(earlier)
    assert world.look(match).progress.number == 3
    for result in made[:: len(made) // 20]:
        assert moved_view(_sent_again(world, result)) == again(result)


def _sent_again(world: World, result: MoveResult) -> MoveResult:
    entry = result.entry
    bot = world.look(result.match).config.seats[result.seat]
    assert bot is not None
    return world.referee.moves.move(bot.id, MoveRequest(result.match, entry.move, entry.turn))


def test_another_process_answers_a_retry_alike(world: World) -> None:
    match = world.match(2, deals=2)
    first = world.act(match)
    world.play_out(match, 40)
    other = World(Redis(world.redis.url))
    assert moved_view(_sent_again(other, first)) == again(first)


def test_another_move_for_an_answered_turn_is_stale(world: World) -> None:
    match = world.match(2, deals=2)
    seat, (played, other, *_) = world.look(match).progress.to_move, world.legal(match)
    world.act(match, played)
    before = world.dump()
    with pytest.raises(StaleTurn, match=played) as refused:
        world.act(match, other, seat=seat, turn=1)
    assert refused.value.details == {"turn": 2}
    with pytest.raises(StaleTurn):
        world.act(match, "no move at all", seat=seat, turn=1)
    assert world.dump() == before
    while world.look(match).progress.number == 1:
        world.act(match)
    with pytest.raises(StaleTurn, match=played):
        world.act(match, other, seat=seat, turn=1)


def test_a_turn_of_another_seat_or_of_the_future_is_refused(world: World) -> None:
    match = world.match(2)
    seat = world.look(match).progress.to_move
    assert seat is not None
    move = world.legal(match)[0]
    before = world.dump()
    with pytest.raises(NotYourTurn) as refused:
        world.act(match, move, seat=1 - seat, turn=1)
    assert refused.value.details == {"turn": 1}
    for turn in (2, 10**12):
        with pytest.raises(StaleTurn, match="not come yet"):
            world.act(match, move, seat=seat, turn=turn)
    for turn in (0, -1):
        with pytest.raises(StaleTurn):
            world.act(match, move, seat=seat, turn=turn)
    assert world.dump() == before
    world.act(match, move)
    with pytest.raises(StaleTurn, match="another seat"):
        world.act(match, move, seat=1 - seat, turn=1)


NO_MOVES = (
    "",
    " ",
    "take\n",
    "attack",
    "attack 6h",
    "attack 1H",
    "ATTACK 6H",
    "exchange 6H",
    "deal 6H",
    "\0",
    "é",
)


@pytest.mark.parametrize("text", [*NO_MOVES, "x" * 5000])
def test_a_text_that_is_no_move_changes_nothing(world: World, text: str) -> None:
    match = world.match(2)
    legal, free = world.legal(match), world.free(match, world.look(match).progress.to_move or 0)
    before = world.dump()
    with pytest.raises(NotAMoveText) as refused:
        world.act(match, text)
    assert refused.value.details == {"legal_moves": legal, "free_moves": free}
    assert world.dump() == before


def test_an_illegal_move_changes_nothing_and_the_clock_runs_on(world: World, clock: ManualClock) -> None:
    match = world.match(2)
    loaded, legal = world.look(match), world.legal(match)
    free = world.free(match, loaded.progress.to_move or 0)
    clock.advance(500)
    before = world.dump()
    for text in ("take", "pass", "beat 6H 7H", "exchange" if not free else "pass"):
        with pytest.raises(MoveNotLegal) as refused:
            world.act(match, text)
        assert refused.value.details == {"legal_moves": legal, "free_moves": free}
    assert world.dump() == before
    assert (world.look(match).asked, world.look(match).deadline) == (loaded.asked, loaded.deadline)


def test_the_same_move_twice_in_one_request_is_made_once(world: World) -> None:
    match = world.match(2)
    seat, (move, other, *_) = world.look(match).progress.to_move, world.legal(match)
    requests = [MoveRequest(match, move, 1), MoveRequest(match, move, 1), MoveRequest(match, other, 1)]
    moves = world.referee.moves
    first, second, third = moves.make(f"bot-{seat}", [moves.begin(request) for request in requests])
    assert isinstance(first, MoveResult)
    assert isinstance(second, MoveResult)
    assert (first.replayed, second.replayed) == (False, True)
    assert isinstance(third, StaleTurn)
    assert [entry.turn for entry in world.log(match)] == [0, 1]


def test_concurrent_copies_of_a_move_make_it_once_and_all_get_the_result(world: World) -> None:
    match = world.match(2)
    seat, move = world.look(match).progress.to_move, world.legal(match)[0]
    results = at_once(*[lambda: world.act(match, move, seat=seat, turn=1)] * 20)
    assert all(isinstance(result, MoveResult) for result in results)
    assert sum(not result.replayed for result in results if isinstance(result, MoveResult)) == 1
    assert len(world.log(match)) == 2


# Free moves


@pytest.fixture
def off_turn(world: World, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return a match in which seat 0 may exchange while seat 1 has to answer."""
    stack(monkeypatch, {1: EXCHANGE})
    match = world.match(2, **TWO)
    assert world.look(match).progress.to_move == 1
    assert (world.legal(match, 0), world.free(match, 0)) == ([], ["exchange"])
    return match


@pytest.fixture
def on_turn(world: World, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return a match in which seat 1 has to answer and may exchange."""
    stack(monkeypatch, {1: EXCHANGE_ON_TURN})
    match = world.match(2, **TWO, deals=2)
    assert world.free(match, 1) == ["exchange"]
    assert "exchange" not in world.legal(match, 1)
    return match


def test_an_exchange_off_turn_leaves_the_open_turn_and_its_clock_alone(
    world: World, clock: ManualClock, off_turn: str
) -> None:
    clock.advance(400)
    before, legal = world.look(off_turn), world.legal(off_turn)
    made = world.act(off_turn, "exchange", seat=0, deal=1)
    after = world.look(off_turn)
    assert moved_view(made) == {
        "match": off_turn,
        "seat": 0,
        "turn": None,
        "move": "exchange",
        "ms": 0,
        "charged_ms": 0,
        "replayed": False,
    }
    assert (after.progress.turn, after.progress.to_move, after.asked, after.deadline) == (
        1,
        1,
        before.asked,
        before.deadline,
    )
    assert after.progress.bank == before.progress.bank
    assert world.listed_until(off_turn) == (before.deadline or 0) + 250
    assert world.legal(off_turn) == legal
    clock.advance(800)
    assert world.act(off_turn, "attack 7H", turn=1).entry.ms == 1_200
    assert world.legal(off_turn)[0] == "take"
    assert "beat 7H AH" in world.legal(off_turn)


def test_concurrent_exchanges_are_made_once(world: World, off_turn: str) -> None:
    results = at_once(*[lambda: world.act(off_turn, "exchange", seat=0, deal=1)] * 20)
    assert all(isinstance(result, MoveResult) for result in results)
    assert sum(entry.move == "exchange" for entry in world.log(off_turn)) == 1


def test_an_exchange_on_turn_withdraws_the_turn_but_not_its_clock(
    world: World, clock: ManualClock, on_turn: str
) -> None:
    before = world.legal(on_turn)
    clock.advance(1_500)
    first = world.act(on_turn, "exchange", deal=1)
    assert first.entry.turn == 0
    after = world.look(on_turn)
    assert (after.progress.turn, after.progress.to_move, after.asked, after.deadline) == (
        2,
        1,
        T0,
        T0 + 4_000,
    )
    assert after.progress.bank == (3_000, 3_000)
    assert world.legal(on_turn) != before
    assert "attack AH" in world.legal(on_turn)
    assert world.free(on_turn, 1) == []
    stored = world.dump()
    for move in ("attack 8C", "attack AH", "exchange"):
        with pytest.raises(StaleTurn, match="withdrawn, because a free move changed") as refused:
            world.act(on_turn, move, seat=1, turn=1)
        assert refused.value.details == {"turn": 2}
    assert moved_view(world.act(on_turn, "exchange", seat=1, deal=1)) == again(first)
    assert world.dump() == stored
    made = world.act(on_turn, "attack AH", turn=2)
    assert (made.entry.ms, made.entry.charged) == (1_500, 500)
    assert moved_view(world.act(on_turn, "exchange", seat=1, deal=1)) == again(first)
    assert [(entry.turn, entry.move) for entry in world.log(on_turn)[1:]] == [
        (0, "exchange"),
        (2, "attack AH"),
    ]


def test_a_free_move_sent_with_a_turn_names_the_deal(world: World, on_turn: str, off_turn: str) -> None:
    before = world.dump()
    for match, seat in ((on_turn, 1), (off_turn, 0)):
        with pytest.raises(FreeMoveWithTurn, match='send it with "deal": 1') as refused:
            world.act(match, "exchange", seat=seat, turn=1)
        assert refused.value.details == {"deal": 1, "turn": 1}
    assert world.dump() == before


def test_an_exchange_on_turn_gives_no_time(world: World, clock: ManualClock, on_turn: str) -> None:
    clock.advance(4_000)
    world.act(on_turn, "exchange", deal=1)
    clock.advance(250 + 50)
    assert world.look(on_turn).progress.strikes == (0, 1)
    assert [(entry.turn, entry.by) for entry in world.log(on_turn)[1:3]] == [(0, "-"), (2, "t")]


def test_an_exchange_can_be_retried_in_a_later_deal(world: World, on_turn: str) -> None:
    first = world.act(on_turn, "exchange", deal=1, seat=1)
    while world.look(on_turn).progress.number == 1:
        world.act(on_turn)
    assert moved_view(world.act(on_turn, "exchange", seat=1, deal=1)) == again(first)
    with pytest.raises(StaleTurn, match="withdrawn"):
        world.act(on_turn, "exchange", seat=1, turn=1)
    with pytest.raises(StaleTurn):
        world.act(on_turn, "exchange", seat=0, deal=1)
    with pytest.raises(StaleTurn):
        world.act(on_turn, "exchange", seat=0, turn=1)


@pytest.mark.parametrize("deal", [0, -1, 2, 10**12])
def test_an_exchange_for_another_deal_is_refused(world: World, off_turn: str, deal: int) -> None:
    before = world.dump()
    with pytest.raises(StaleTurn):
        world.act(off_turn, "exchange", seat=0, deal=deal)
    assert world.dump() == before


def test_only_free_moves_may_be_sent_with_a_deal(world: World, off_turn: str) -> None:
    before = world.dump()
    for text in ("attack 7H", "take", "pass", "", "EXCHANGE"):
        with pytest.raises(NotAMoveText):
            world.act(off_turn, text, seat=1, deal=1)
    assert world.dump() == before


@pytest.mark.parametrize("game", list(GAMES))
def test_every_free_move_may_be_sent_with_a_deal(game: str) -> None:
    """Free moves that a game doesn't declare could not be made off turn."""
    rng, found = Random(1), set()
    for seats in GAMES[game].seat_counts:
        table = GAMES[game].table(seats, {})
        for dealer in range(seats):
            deck = list(table.pack)
            rng.shuffle(deck)
            state = table.deal(1, dealer, deck)
            found |= {
                table.text(state, move) for seat in range(seats) for move in table.free_moves(state, seat)
            }
    assert found <= GAMES[game].free_move_texts


@pytest.fixture
def last_draw(world: World, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return a match after the last draw: seats 0 and 2 are asked for the exchange, and seat 2 may make it."""
    stack(monkeypatch, {1: LAST_DRAW})
    match = world.match(5, **FIVE)
    world.play(match, *UNTIL_THE_LAST_DRAW)
    assert (world.look(match).progress.turn, world.legal(match)) == (11, ["pass"])
    return match


@pytest.mark.parametrize("key", ["turn", "deal"])
def test_the_exchange_after_the_last_draw_answers_its_question(
    world: World, clock: ManualClock, last_draw: str, key: str
) -> None:
    with pytest.raises(MoveNotLegal):
        world.act(last_draw, "exchange", seat=2, deal=1)
    world.act(last_draw, "pass")
    assert world.legal(last_draw) == ["pass", "exchange"]
    clock.advance(1_300)
    first = world.act(last_draw, "exchange", seat=2, **{key: 12 if key == "turn" else 1})
    assert moved_view(first) == {
        "match": last_draw,
        "seat": 2,
        "turn": 12,
        "move": "exchange",
        "ms": 1_300,
        "charged_ms": 300,
        "replayed": False,
    }
    assert world.look(last_draw).progress.turn == 13
    before = world.dump()
    for again_key in ({"turn": 12}, {"deal": 1}):
        assert moved_view(world.act(last_draw, "exchange", seat=2, **again_key)) == again(first)
    assert world.dump() == before


def test_an_exchange_that_arrived_in_time_answers_after_any_wait(
    world: World, clock: ManualClock, last_draw: str
) -> None:
    world.act(last_draw, "pass")
    clock.advance(60_000)
    made = world.act_unlooked(last_draw, 2, MoveRequest(last_draw, "exchange", deal=1), age_s=59.5)
    assert made.entry.turn == 12
    assert made.entry.by == "-"


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.ci)])
@pytest.mark.parametrize("game", list(GAMES))
def test_a_turn_number_never_stands_for_two_questions(world: World, game: str, seed: int) -> None:
    """Plays random moves with all possible free moves. Only a free move on turn skips a number."""
    rng = Random(seed)
    seats = rng.choice(GAMES[game].seat_counts)
    match = world.match(seats, game, **short(game))
    questions: dict[int, tuple[int | None, list[str]]] = {}
    withdrawn = set()
    since: dict[int, str | None] = dict.fromkeys(range(seats))
    handed_over: set[tuple[int, int]] = set()
    while (loaded := world.look(match)).progress.status is Status.RUNNING:
        turn, seat, number = loaded.progress.turn, loaded.progress.to_move or 0, loaded.progress.number
        asked = seat, world.legal(match)
        assert questions.setdefault(turn, asked) == asked
        for viewer in range(seats):
            polled = world.poll(f"bot-{viewer}", 0.0, since[viewer])
            since[viewer] = polled["since"]
            for each in polled["turns"]:
                assert (viewer, each["turn"]) not in handed_over
                handed_over.add((viewer, each["turn"]))
                assert each["observation"]["legal_moves"] == asked[1]
        assert (seat, turn) in handed_over
        free = [(viewer, move) for viewer in range(seats) for move in world.free(match, viewer)]
        if free and rng.random() < 0.5:
            viewer, move = rng.choice(free)
            after = world.act(match, move, seat=viewer, deal=number).loaded
            assert after is not None
            if viewer == seat or after.progress.number > number or after.finished:
                withdrawn.add(turn)
        else:
            world.act(match, rng.choice(asked[1]))
    answered = {entry.turn for entry in world.log(match) if entry.answers}
    assert answered.isdisjoint(withdrawn)
    assert answered | withdrawn == set(questions) == set(range(1, max(questions) + 1))


def test_a_forfeited_seat_can_not_move(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    stack(
        monkeypatch,
        {1: durak_deck(2, {0: "7H 8C 9C TC JC QC", 1: "6H 8D 9D TD JD QD"}, 3, "AH", "6C 6D 6S 7C 7D 7S")},
    )
    match = world.match(3, options=TWO["options"], dealer=2)
    assert world.free(match, 1) == ["exchange"]
    world.referee.resign(match, "bot-1")
    before = world.dump()
    for request in (
        MoveRequest(match, "exchange", deal=1),
        MoveRequest(match, "take", world.look(match).progress.turn),
    ):
        with pytest.raises(RefereeError) as refused:
            world.referee.moves.move("bot-1", request)
        assert refused.value.code in ("not_your_turn", "stale_turn")
    assert world.dump() == before


def test_the_time_taken_ends_with_the_last_byte_not_with_the_commit(world: World, clock: ManualClock) -> None:
    match = world.match(2)
    clock.advance(1_500)
    made = world.act(match, arrived=seconds_ago(1.25))
    assert made.entry.ms == 250
    assert made.entry.charged == 0
