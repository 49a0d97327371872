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


def test_each_seat_of_a_match_is_a_line_without_control_characters(
    capsys: pytest.CaptureFixture[str],
) -> None:
    show_table([match_row(MATCH)], ["id", "seats", "scores"], none="no matches")
    _, *lines = capsys.readouterr().out.splitlines()
    assert [line.split()[-4 if number == 0 else 0] for number, line in enumerate(lines)] == [
        "example/fool",
        "house/gr?eedy",
        "open",
    ]


def test_a_match_policy_that_restricts_nothing_accepts_all() -> None:
    policy = {"games": None, "max_matches": 16, "owners": ["anna", "house"], "excluded_owners": []}
    shown = as_text(accepted(policy))
    assert shown == "games all, max_matches 16, owners anna, house, excluded_owners –"
