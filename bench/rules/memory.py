"""The gain of a perfect memory in rotated duplicate groups: how much a bot profits from recognising decks.

    python -m bench memory

The bot is `search` with a fixed number of playouts, alone against `greedy`, with and without a memory of earlier
tables. The memory has everything that the bot's seat could know about each deck at the end, by position. At every
move the bot finds the remembered tables that agree with what it knows now, under every relabelling of the suits that
the rules allow, and samples only worlds that agree with these too. No bot in a league can do as well: there a group's
tables lie among many more groups than the `BLOCK` remembered here, and the bot doesn't know which tables form a group.

The gain is the difference in points per deal at the later tables of each group, with memory minus without, for the
same decks and opponents. The interval is 95 %, over groups.
"""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any, Final, NamedTuple

from bots.house import HOUSE_BOTS
from bots.search import Iterations, SearchBot
from bots.search.determinization import Determinizer
from bots.search.knowledge import Decks, DeckSampler, NoDeterminization
from bots.search.policies import POLICIES
from engine.game import Game
from engine.registry import GAMES
from engine.relabelling import relabelled
from tests.bots.search_strength import PlayedDeal, play

PLAYOUTS: Final = 60
BLOCK: Final = 10
"""How many groups are played together, one table at a time."""
TABLES: Final[tuple[tuple[str, int, dict[str, Any], int], ...]] = (
    ("durak", 2, {}, 8),
    ("kryt", 2, {}, 3),
    ("svoi_kozyri", 2, {}, 6),
    ("king", 4, {}, 5),
)
"""Game, seats, options, and the number of blocks of groups."""


class Remembered(NamedTuple):
    """The knowledge of a seat about a deck after its match."""

    group: int
    game: Game
    number: int
    dealer: int
    allowed: Mapping[int, int]
    """The possible positions of each card, as a bit mask."""


class Recalled:
    """A sampler of the determinizations that agree with any remembered table."""

    def __init__(self, candidates: Sequence[Decks], otherwise: Decks) -> None:
        self._candidates, self._otherwise = candidates, otherwise
        self.allowed = otherwise.allowed

    def draw(self, rng: Random) -> list[int]:
        """Return a deck."""
        try:
            return rng.choice(self._candidates).draw(rng)
        except NoDeterminization:
            return self._otherwise.draw(rng)


class MemoryBot(SearchBot):
    """`search` that looks for the current deck among those it remembers."""

    def __init__(self) -> None:
        super().__init__("memory", Iterations(PLAYOUTS))
        self.memory: list[Remembered] = []
        self.group, self.number, self.dealer = -1, 1, 0
        self.recalled: Counter[str] = Counter()

    def _search(self, mind: Any, worlds: Determinizer, quick: str, rng: Random, meter: Any) -> str:
        plain = worlds.decks
        fitting = list(self._fitting(worlds.game, plain.allowed))
        groups = {group for group, _ in fitting}
        if fitting:
            self.recalled["right" if groups == {self.group} else "wrong or both"] += 1
            worlds.decks = Recalled([decks for _, decks in fitting], plain)
        else:
            self.recalled["nothing"] += 1
        try:
            return super()._search(mind, worlds, quick, rng, meter)
        except NoDeterminization:
            worlds.decks = plain
            return super()._search(mind, worlds, quick, rng, meter)

    def _fitting(self, game: Game, now: Mapping[int, int]) -> Iterator[tuple[int, DeckSampler]]:
        for then in self.memory:
            if (then.number, then.dealer) != (self.number, self.dealer):
                continue
            for suits in then.game.suit_symmetries():
                if then.game.relabelled(suits).options != game.options:
                    continue
                both = {}
                for here, places in zip(relabelled(then.allowed, suits), then.allowed.values(), strict=True):
                    both[here] = places & now[here]
                    if not both[here]:
                        break
                else:
                    decks = DeckSampler(both, both)
                    try:
                        decks.draw(Random(0))
                    except NoDeterminization:
                        continue
                    yield then.group, decks


def report() -> list[str]:
    """Return the table as Markdown."""
    lines = [
        "| game | seats | groups | gain at the later tables, points per deal | moves at which it knew the deck again | "
        "and was wrong or unsure |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for name, seats, options, blocks in TABLES:
        game = GAMES[name].table(seats, options)
        bot = MemoryBot()
        gains = [gain for block in range(blocks) for gain in _block(game, block, bot)]
        interval = 1.96 * statistics.stdev(gains) / math.sqrt(len(gains))
        asked = bot.recalled.total()
        lines.append(
            f"| {name} | {seats} | {len(gains)} | {statistics.fmean(gains):+.3f} ± {interval:.3f} | "
            f"{bot.recalled['right'] / asked:.0%} | {bot.recalled['wrong or both'] / asked:.0%} |"
        )
    return lines


def _block(game: Game, block: int, bot: MemoryBot) -> list[float]:
    """Return the mean gain at all tables but the first, for each group of a block."""
    bot.memory.clear()
    plain = SearchBot("plain", Iterations(PLAYOUTS))
    numbers = range(block * BLOCK, (block + 1) * BLOCK)
    gains: dict[int, list[int]] = {number: [] for number in numbers}
    for seat in range(game.seats):
        for number in numbers:
            rng = Random(f"{game.id} {number}")
            deck, dealer = rng.sample(game.pack, len(game.pack)), rng.randrange(game.seats)
            deal_number = rng.randrange(game.fixed_deals or 1) + 1
            suits = Random(f"{number} {seat}").choice(game.suit_symmetries())
            table = game.relabelled(suits)
            cards = relabelled(deck, suits)
            bot.group, bot.number, bot.dealer = number, deal_number, dealer
            deal = PlayedDeal(table, deal_number, dealer, cards)
            with_memory = _points(deal, bot, seat, number)
            if seat:
                without = _points(PlayedDeal(table, deal_number, dealer, cards), plain, seat, number)
                gains[number].append(with_memory - without)
            bot.memory.append(_remembered(bot, table, deal, seat))
    return [statistics.fmean(gains[number]) for number in numbers]


def _points(deal: PlayedDeal, bot: SearchBot, seat: int, number: int) -> int:
    rng = Random(f"play {number} {seat}")
    return deal.game.returns(play(deal, bot, {seat}, HOUSE_BOTS["greedy"], rng))[seat]


def _remembered(bot: MemoryBot, table: Game, deal: PlayedDeal, seat: int) -> Remembered:
    seen = table.observe(deal.state, seat)
    known = Determinizer(table, POLICIES[table.id].read, seen, deal.histories[seat]).decks
    return Remembered(bot.group, table, bot.number, bot.dealer, known.allowed)
