"""Reserved names, and texts without visible characters."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from league.accounts.model import RESERVED, is_blank, is_reserved

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    "name",
    [
        *sorted(RESERVED),
        *("house0", "house-", "house-1", "0house", "h0use", "h-o-u-s-e", "hou5e", "hous3", "h0us3-42"),
        *("adm1n", "adrnin", "adrn1n-7", "r00t", "sy5tem", "5taff", "5erv1ce", "k0zyr", "0fficia1"),
    ],
)
def test_reserved_words_and_names_that_resemble_them_are_reserved(name: str) -> None:
    assert is_reserved(name)


@pytest.mark.parametrize(
    "name",
    ["houses", "mouse", "housekeeper", "warehouse", "rooter", "ab", "e2e4", "007", "stafford", "x-house-y"],
)
def test_other_names_are_free(name: str) -> None:
    assert not is_reserved(name)


@pytest.mark.parametrize(
    "text", ["", " ", "  \t", "\n", "\u00a0", "\u200b\u200d", "\u3164", "\u2800 ", "\u0301", "\x00"]
)
def test_spaces_controls_and_invisible_characters_are_blank(text: str) -> None:
    assert is_blank(text)


@pytest.mark.parametrize("text", ["1", " a ", "é", "\u05d0", "牌", "🂡", ".", "-"])
def test_visible_text_is_not_blank(text: str) -> None:
    assert not is_blank(text)


def test_the_docs_list_every_reserved_word() -> None:
    page = (ROOT / "docs" / "protocol.md").read_text()
    (listed,) = re.findall(r"Reserved owner names: (.*?)\n\n", page, re.DOTALL)
    assert re.findall(r"`([a-z]+)`", listed) == sorted(RESERVED)
