"""Frames: the table after each step of a match, as one viewer may see it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from engine.registry import GAMES
from records.match import events, views
from records.match.clock import ClockRule
from records.match.frames import Hands, Viewer, coded, frames, steps
from records.match.log import parse_log
from records.match.played import clocks_of_record, entries_of_record, match_of_record
from records.match.session import Status, match_of
from referee.referee import LoadedMatch
from tests.referee.world import ManualClock, World, remote, short

ALL = 1_000_000


def frames_of(loaded: LoadedMatch, viewer: Viewer, after: int = 0) -> list[Any]:
    match = match_of(loaded.config, loaded.progress.first_dealer or 0)
    over = events.over(loaded.progress) if loaded.finished else None
    return list(
        frames(match, steps(match, parse_log(loaded.log), loaded.config.clocks(), over), viewer, after)
    )


def decoded(wire: Iterator[dict[str, Any]]) -> list[dict[str, Any]]:
    seen: dict[str, Any] = {}
    found = []
    for frame in wire:
        seen = frame["observation"] if "observation" in frame else {**seen, **frame["changes"]}
        found.append(seen)
    return found


@pytest.fixture(params=list(GAMES))
def finished(request: pytest.FixtureRequest, world: World) -> LoadedMatch:
    game = request.param
    return world.play_out(world.match(min(GAMES[game].seat_counts), game=game, **short(game)))


def test_frames_partition_the_events_of_every_viewer(world: World, finished: LoadedMatch) -> None:
    for viewer in (None, *range(len(finished.config.seats))):
        found = frames_of(finished, viewer)
        document = [event for frame in found for event in frame.events]
        assert document == world.referee.events(finished, viewer, 0, ALL)
        assert [frame.number for frame in found] == [frame.events[-1]["n"] for frame in found]


def test_a_page_of_frames_is_the_tail_of_all_frames(finished: LoadedMatch) -> None:
    whole = frames_of(finished, 0)
    for after in (0, 1, whole[1].number, whole[-2].number, whole[-1].number):
        assert frames_of(finished, 0, after) == [frame for frame in whole if frame.number > after]


def test_the_wire_form_decodes_to_the_observations(finished: LoadedMatch) -> None:
    for viewer in (None, 0, Hands.ALL):
        found = frames_of(finished, viewer)
        assert decoded(coded(found)) == [frame.observation for frame in found]


@pytest.mark.parametrize("game", list(GAMES))
def test_the_last_frame_of_a_running_match_is_what_the_viewer_sees_now(world: World, game: str) -> None:
    seats = min(GAMES[game].seat_counts)
    match = world.match(seats, game=game, **short(game))
    for _ in range(40):
        loaded = world.look(match)
        if loaded.progress.status is not Status.RUNNING or loaded.progress.number > 1:
            break
        for viewer in (None, *range(seats)):
            assert frames_of(loaded, viewer)[-1].observation == views.observation(loaded, viewer)
        world.act(match)


def test_all_hands_are_those_of_the_seats(finished: LoadedMatch) -> None:
    seats = range(len(finished.config.seats))
    own = [frames_of(finished, seat) for seat in seats]
    for number, frame in enumerate(frames_of(finished, Hands.ALL)):
        if "hands" in frame.observation:
            assert frame.observation["hands"] == [own[seat][number].observation["hand"] for seat in seats]
            assert [len(hand) for hand in frame.observation["hands"]] == frame.observation["hand_sizes"]


def test_a_record_gives_the_frames_of_its_match(world: World, finished: LoadedMatch) -> None:
    record = world.referee.record(finished).to_json()
    match = match_of_record(record)
    over = events.ended(record["ending"], record["scores"])
    again = list(
        frames(match, steps(match, entries_of_record(record), clocks_of_record(record), over), Hands.ALL)
    )
    numbered = frames_of(finished, Hands.ALL)
    for event in (event for frame in [*again, *numbered] for event in frame.events):
        event.pop("turn", None)  # not in a record
    assert again == numbered


@pytest.mark.parametrize("seat", [0, 1])
def test_the_last_frame_has_the_clocks_of_the_match(world: World, clock: ManualClock, seat: int) -> None:
    rule = ClockRule(move_ms=1_000, bank_ms=3_000, increment_ms=10, strikes=2)
    match = world.match([remote(0), remote(1)], dealer=seat, clock=rule)
    for taken in (500, 1_800, 900, 2_600):
        clock.advance(taken)
        world.act(match)
    clock.advance(20_000)
    loaded = world.look(match)
    assert sum(loaded.progress.strikes) == 1
    last = frames_of(loaded, None)[-1]
    assert last.clocks.to_json() == views.clocks(loaded)
    charged = [frame.charged for frame in frames_of(loaded, None) if frame.charged]
    assert charged[:2] == [800, 1_600]
    wire = list(coded(frames_of(loaded, None)))
    assert "clocks" in wire[0]
    assert sum("clocks" in frame for frame in wire) <= 1 + 5


def test_only_its_own_seat_and_all_hands_see_a_note(world: World) -> None:
    match = world.match([remote(0), remote(1)])
    loaded = world.look(match)
    mover = loaded.progress.to_move
    assert mover is not None
    world.act(match, note="keeps the ace")
    loaded = world.look(match)
    seen = {viewer: noted(frames_of(loaded, viewer)) for viewer in (None, 0, 1, Hands.ALL)}
    own = {mover: ["keeps the ace"], Hands.ALL: ["keeps the ace"]}
    assert seen == {viewer: own.get(viewer, []) for viewer in seen}
    numbered = [world.referee.events(loaded, viewer, 0, ALL) for viewer in (None, 1 - mover)]
    assert "note" not in str(numbered)
    assert "keeps the ace" in str(world.referee.events(loaded, mover, 0, ALL))


def noted(found: list[Any]) -> list[str]:
    return [event["note"] for frame in found for event in frame.events if "note" in event]


def test_the_frames_of_one_deal_are_its_part_of_all_frames(world: World, finished: LoadedMatch) -> None:
    whole = world.referee.frames(finished, Hands.ALL, 0, ALL)
    for deal in (2, 1, finished.progress.number):
        part = world.referee.frames(finished, Hands.ALL, 0, ALL, deal=deal)
        assert part == [frame for frame in whole if frame.observation["deal"] == deal]
    assert world.referee.frames(finished, Hands.ALL, 0, ALL, deal=finished.progress.number + 1) == []
