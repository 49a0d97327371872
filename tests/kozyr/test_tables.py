"""Tables of bots, tokens and matches for people."""

from __future__ import annotations

import pytest

from kozyr.cli.author.tables import accepted, as_text, match_row, show_table

MATCH = {
    "id": "17abcdefghijkmnpqrstuvwxyz23",
    "game": "durak",
    "seats": [{"bot": "example/fool"}, {"bot": "house/gr\x1beedy"}, None],
    "status": "waiting",
    "ending": None,
    "deal": None,
    "deals": 1,
    "scores": [0, 0, 0],
}


def test_a_row_without_a_terminal_is_one_line_with_tabs(
    capsys: pytest.CaptureFixture[str],
) -> None:
    show_table([match_row(MATCH)], ["id", "seats", "scores"], none="no matches")
    assert capsys.readouterr().out.splitlines() == [
        "id\tseats\tscores",
        f"{MATCH['id']}\texample/fool house/gr\\u001beedy open\t0, 0, 0",
    ]


def test_a_match_policy_that_restricts_nothing_accepts_all() -> None:
    policy = {"games": None, "max_matches": 16, "owners": ["anna", "house"], "excluded_owners": []}
    shown = as_text(accepted(policy))
    assert shown == "games all, max_matches 16, owners anna, house, excluded_owners –"
