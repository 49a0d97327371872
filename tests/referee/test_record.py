"""The record: it suffices to replay and check a match by the rules."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from engine.match import Match, MatchState, deck_text, parse_deck
from engine.registry import GAMES
from records.ids import new_match_id
from records.match.record import plain_preset_of
from records.match.shuffle import deck, first_dealer
from referee.storage.packing import pack, unpack
from referee.storage.redis import keys_of
from tests.referee.world import CLOCK, ManualClock, World, as_bytes, short


def replayed(record: dict[str, Any]) -> MatchState:
    """Return the final state of a record's match, by the rules alone."""
    game = GAMES[record["game"]].table(len(record["seats"]), record["options"])
    match = Match(game, None if game.fixed_deals else record["deals"], record["dealer"])
    state = match.begin()
    for entry in record["moves"]:
        if entry["seat"] is None:
            state = match.deal(state, parse_deck(entry["move"]))
        else:
            state = match.play(state, entry["seat"], match.parse(state, entry["seat"], entry["move"]))
    if not state.over:
        assert record["ending"] in ("forfeit", "resigned")
        state = match.cut_short(state, record["forfeits"])
    return state


def decks(record: dict[str, Any]) -> Iterator[tuple[int, str]]:
    """Return the decks that were played, with the numbers of their deals."""
    played = [entry["move"] for entry in record["moves"] if entry["seat"] is None]
    yield from enumerate(played, 1)


@pytest.mark.parametrize("game", list(GAMES))
@pytest.mark.parametrize("ending", ["rules", "forfeit", "resigned"])
def test_a_record_replays_to_its_scores_and_its_secret_gives_its_decks(
    world: World, clock: ManualClock, game: str, ending: str
) -> None:
    rules = GAMES[game]
    seats = min(rules.seat_counts)
    entropy = ["соль", *[None] * (seats - 1)]
    strict = CLOCK._replace(strikes=1, increment_ms=0)
    match = world.match(seats, game=game, entropy=entropy, clock=strict, **short(game))
    world.play_out(match, 100_000 if ending == "rules" else 30)
    for number in range(seats if ending != "rules" else 0):
        if world.look(match).finished:
            break
        if ending == "forfeit":
            clock.advance(5_000)
            world.look(match)
        else:
            world.referee.resign(match, f"bot-{number}")
    loaded = world.look(match)
    record = world.referee.record(loaded).to_json()
    assert record["ending"] == ending
    assert replayed(record).scores == tuple(record["scores"])
    secret = bytes.fromhex(record["shuffle"]["secret"])
    assert record["shuffle"]["commitment"] == hashlib.sha256(secret + match.encode()).hexdigest()
    assert record["dealer"] == first_dealer(secret, entropy, seats)
    pack_of = loaded.config.table().pack
    for number, text in decks(record):
        assert text == deck_text(deck(secret, record["shuffle"]["entropy"], number, pack_of))
    assert as_bytes(record)  # it is JSON


def test_a_record_names_the_rules_it_was_played_under(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise new rules would change a signed record."""
    match = world.match(2)
    before = as_bytes(world.referee.record(world.referee.resign(match, "bot-0")).to_json())
    monkeypatch.setattr(GAMES["durak"], "rules_version", "77")
    assert as_bytes(World(world.redis).referee.record(world.look(match)).to_json()) == before


def test_a_record_is_the_same_in_every_read_and_process(world: World) -> None:
    match = world.match(2, deals=2)
    world.play_out(match)
    first = as_bytes(world.referee.record(world.look(match)).to_json())
    assert as_bytes(World(world.redis).referee.record(world.look(match)).to_json()) == first


def test_a_deal_of_random_durak_takes_at_most_a_kilobyte(world: World) -> None:
    sizes = []
    for deals in (1, 1, 1, 1, 5, 5):
        match = world.match(2, deals=deals, secret=Random(len(sizes)).randbytes(32), match_id=new_match_id())
        world.play_out(match, rng=Random(len(sizes)))
        sizes.append((world.redis.one("STRLEN", keys_of(match)[6]), deals))
    assert sum(size for size, _ in sizes) / sum(deals for _, deals in sizes) <= 1_024


@pytest.mark.parametrize("game", list(GAMES))
def test_a_packed_match_is_complete(world: World, game: str) -> None:
    rules = GAMES[game]
    match = world.match(max(rules.seat_counts), game=game, ladder="a-ladder", round=3, rated=True)
    loaded = world.play_out(match, 60 if rules.fixed_deals is None else 100_000)
    if not loaded.finished:
        for number in range(len(loaded.config.seats) - 1):
            loaded = world.referee.resign(match, f"bot-{number}")
    assert unpack(pack(loaded.config, loaded.progress, loaded.secret, loaded.log)) == (
        loaded.config,
        loaded.progress,
        loaded.secret,
        loaded.log,
    )
    again = World(world.redis).look(match)
    assert (again.config, again.progress, again.secret, again.log) == (
        loaded.config,
        loaded.progress,
        loaded.secret,
        loaded.log,
    )


def test_a_preset_names_options_that_are_not_defaults() -> None:
    durak = GAMES["durak"]
    assert plain_preset_of(durak.table(2, {})) == "durak/2"
    assert plain_preset_of(durak.table(5, {})) == "durak/5"
    assert plain_preset_of(durak.table(5, {"attackers": "all"})) == "durak/5/attackers=all"
    assert plain_preset_of(durak.table(4, {"teams": True})) == "durak/4/teams=true"
    assert (
        plain_preset_of(durak.table(2, {"turn_limit": 50, "batch_attacks": True}))
        == "durak/2/batch_attacks=true/turn_limit=50"
    )
