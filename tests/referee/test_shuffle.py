"""The published shuffle, implemented a second time from its description."""

from __future__ import annotations

import hashlib
from collections import Counter

from engine.cards import CARD_TEXT
from engine.games.durak import PACK
from records.match import shuffle
from tests.referee.world import SECRET


def described(secret: bytes, entropy: list[str | None], number: int, count: int) -> list[int]:
    """Return the order of `count` cards, as the page describes it."""
    mixed = b""
    for text in entropy:
        raw = (text or "").encode("utf-8")
        mixed += len(raw).to_bytes(4, "big") + raw
    seed = hashlib.sha256(b"kozyr-shuffle-1\x00" + secret + number.to_bytes(4, "big") + mixed).digest()
    words = []
    for block in range(64):
        data = hashlib.sha256(seed + block.to_bytes(8, "big")).digest()
        words += [int.from_bytes(data[at : at + 4], "big") for at in range(0, 32, 4)]
    order = list(range(count))
    for i in range(count - 1, 0, -1):
        while (word := words.pop(0)) >= 2**32 - 2**32 % (i + 1):
            pass
        j = word % (i + 1)
        order[i], order[j] = order[j], order[i]
    return order


def test_a_deck_follows_the_description() -> None:
    for number in (1, 2, 1_000):
        for entropy in ([None, None], ["a", "b"], ["ab", ""], ["", "ab"], ["соль", None, "x" * 300]):
            expected = [PACK[at] for at in described(SECRET, entropy, number, len(PACK))]
            assert list(shuffle.deck(SECRET, entropy, number, PACK)) == expected


def test_a_test_vector() -> None:
    deck = shuffle.deck(SECRET, ["salt", None], 1, PACK)
    assert " ".join(CARD_TEXT[card] for card in deck) == (
        "9D 7H QD 6C QC TS 8D KS 6S KD TD 8S 6H TC JD JC AS 6D "
        "KH QS JH QH 9S TH 8H 7D 9C JS 7S KC AH 7C 8C AC AD 9H"
    )
    assert shuffle.first_dealer(SECRET, ["salt", None], 2) == 1
    assert (
        shuffle.commitment(SECRET, "17abcdefghijkmnpqrstuvwxyz23")
        == "5ead5e8a363c133baa08bbcf571adca03d88fcc0d86a664a588ea75848882127"
    )


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
