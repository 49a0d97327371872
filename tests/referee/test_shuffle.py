"""The shuffle: whose entropy counts, and no preference. test_shuffle_page.py covers its form."""

from __future__ import annotations

from collections import Counter

from engine.games.durak import PACK
from records.match import shuffle
from tests.referee.world import SECRET


def test_a_deck_depends_on_whose_entropy_is_whose() -> None:
    found = {
        shuffle.deck(SECRET, list(entropy), 1, PACK)
        for entropy in (("ab", ""), ("a", "b"), ("", "ab"), (None, None), ("", None, None))
    }
    assert len(found) == 5
    assert shuffle.deck(SECRET, [None], 1, PACK) == shuffle.deck(SECRET, [""], 1, PACK)


def test_no_card_prefers_a_position() -> None:
    places = Counter(shuffle.deck(SECRET, [str(nth)], 1, PACK).index(PACK[0]) for nth in range(3_600))
    assert len(places) == 36
    # With 35 degrees of freedom, fair runs exceed a chi-squared statistic of 75 once in ten thousand.
    assert sum((count - 100) ** 2 / 100 for count in places.values()) < 75
