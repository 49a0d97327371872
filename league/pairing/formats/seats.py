"""Seats where each match has its own deck: every bot has every seat, and so the first deal, equally often. Pure.

Seat 0 deals first. A duplicate group needs none of this: it gives every bot every seat.

Each table, one after the other, takes the order that evens out its bots' seats best, then the one with the least
`PastMeetings.strain`. Then bots change seats along chains of tables: if a bot had seat p twice more than seat q, it
swaps with the bot in seat q at one of its tables, that bot swaps back at another, and so on to a bot that lacks seat p.
A chain ends while there is such a bot (as in Euler's orientation of a graph), so what remains follows from the meetings
and from earlier rounds. With one table each, two bots that both lack the same seat can't both get it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from itertools import permutations
from math import factorial
from typing import Final

from league.pairing.formats.field import IN_ALL, Field, Meeting, PastMeetings, chance
from league.pairing.plan import Entrant, arranged

SeatsHad = Mapping[str, Sequence[int]]
"""By bot id and seat, how often the bot had the seat, less how often it had its rarest one. Bots without a difference
are missing."""

MOST: Final = 2
"""How much oftener a bot may have one seat than another, where the meetings permit it."""


def placed(meetings: Sequence[Meeting], field: Field) -> list[Meeting]:
    """Return the meetings in the order of their seats."""
    had = {entrant.id: list(field.seats_had.get(entrant.id, [0] * field.seats)) for entrant in field.entrants}
    every = len(meetings) * factorial(field.seats) <= IN_ALL
    met = PastMeetings(field.outcomes)
    tables: list[list[Entrant]] = []
    for number, meeting in enumerate(meetings):
        # By chance, so that among equals the better seed is not always first.
        meeting = arranged(meeting, int.from_bytes(chance(field.seed, "seat", number)[:8]), 0)
        if every:
            table = min(
                permutations(meeting), key=lambda order: (_cost(order, had), met.strain(order, field.sides))
            )
            met.seat(table, field.sides)
        else:
            table = _cheapest(meeting, had)
        for seat, entrant in enumerate(table):
            had[entrant.id][seat] += 1
        tables.append(list(table))
    _exchange(tables, had)
    return [tuple(table) for table in tables]


def seats_had(before: SeatsHad, meetings: Iterable[Sequence[Entrant]], seats: int) -> SeatsHad:
    """Return the seats that bots have had after a round with these meetings."""
    found = {bot: list(counts) for bot, counts in before.items()}
    for meeting in meetings:
        for seat, entrant in enumerate(meeting):
            found.setdefault(entrant.id, [0] * seats)[seat] += 1
    return {
        bot: [count - min(counts) for count in counts]
        for bot, counts in found.items()
        if min(counts) != max(counts)
    }


def clash(bots: Sequence[Entrant], had: SeatsHad, seats: int) -> bool:
    """Return whether in every order of these bots at a table, one has a seat more than `MOST` times oftener than
    another."""
    full = [
        {seat for seat, count in enumerate(had[bot.id]) if count >= MOST} for bot in bots if bot.id in had
    ]
    barred = [each for each in full if each]
    # Hall's condition. Bots without a barred seat fit anywhere.
    return len(barred) > 1 and not _fits(barred, set(range(seats)))


def _fits(barred: Sequence[set[int]], free: set[int]) -> bool:
    return not barred or any(_fits(barred[1:], free - {seat}) for seat in free - barred[0])


def _cost(order: Sequence[Entrant], had: Mapping[str, Sequence[int]]) -> int:
    """Return the price of these seats: `_price` of each."""
    return sum(_price(had[entrant.id], seat) for seat, entrant in enumerate(order))


def _price(counts: Sequence[int], seat: int) -> int:
    """Return 0 for the rarest seat of a bot. One step more costs more than one step less for all others."""
    return int((len(counts) + 1) ** min(counts[seat] - min(counts), 8)) - 1


def _cheapest(meeting: Meeting, had: Mapping[str, Sequence[int]]) -> Meeting:
    """Return the order with the least cost, in one pass over the sets of bots that fill the first seats."""
    best: dict[int, tuple[int, Meeting]] = {0: (0, ())}
    for seat in range(len(meeting)):
        longer: dict[int, tuple[int, Meeting]] = {}
        for members, (cost, order) in best.items():
            for number, entrant in enumerate(meeting):
                new = members | 1 << number
                price = cost + _price(had[entrant.id], seat)
                if new != members and (new not in longer or price < longer[new][0]):
                    longer[new] = price, (*order, entrant)
        best = longer
    ((_, found),) = best.values()
    return found


def _exchange(tables: Sequence[list[Entrant]], had: Mapping[str, list[int]]) -> None:
    """Change seats along chains of tables as long as that evens out a bot's seats."""
    tables_of: dict[str, list[int]] = {}
    for number, table in enumerate(tables):
        for entrant in table:
            tables_of.setdefault(entrant.id, []).append(number)
    uneven = deque(bot for bot in tables_of if max(had[bot]) - min(had[bot]) > 1)
    while uneven:
        bot = uneven.popleft()
        seats = range(len(had[bot]))
        pairs = sorted(
            ((p, q) for p in seats for q in seats if had[bot][p] - had[bot][q] > 1),
            key=lambda pair: had[bot][pair[1]] - had[bot][pair[0]],
        )
        for p, q in pairs:
            chain = _chain(bot, p, q, tables, tables_of, had)
            if chain:
                for number in chain:
                    table = tables[number]
                    for entrant, to, by in ((table[p], p, -1), (table[q], p, 1)):
                        had[entrant.id][to] += by
                        had[entrant.id][q if to == p else p] -= by
                    table[p], table[q] = table[q], table[p]
                uneven.append(bot)
                break


def _chain(
    bot: str,
    p: int,
    q: int,
    tables: Sequence[Sequence[Entrant]],
    tables_of: Mapping[str, Sequence[int]],
    had: Mapping[str, Sequence[int]],
) -> list[int]:
    """Return the tables of the shortest chain from a bot that had seat p too often to one that can take seat p, or
    nothing."""
    before: dict[str, tuple[str, int] | None] = {bot: None}
    ahead = had[bot][p] - had[bot][q]
    queue = deque([bot])
    while queue:
        one = queue.popleft()
        if had[one][p] - had[one][q] < ahead - 2:
            chain = []
            while (step := before[one]) is not None:
                one, number = step
                chain.append(number)
            return chain
        for number in tables_of[one]:
            other = tables[number][q].id
            if tables[number][p].id == one and other not in before:
                before[other] = one, number
                queue.append(other)
    return []
