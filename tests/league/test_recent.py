"""What a process keeps for some seconds."""

from __future__ import annotations

from itertools import count

from league.recent import Recent


def test_a_value_is_computed_again_when_it_is_old() -> None:
    now, numbers = [0.0], count()
    recent = Recent(3.0, lambda: now[0])
    assert [recent.get("a", lambda: next(numbers)) for _ in range(3)] == [0, 0, 0]
    assert recent.get("b", lambda: next(numbers)) == 1
    now[0] = 3.0
    assert recent.get("a", lambda: next(numbers)) == 2


def test_while_one_reader_computes_the_others_get_the_old_value() -> None:
    now = [0.0]
    recent = Recent(3.0, lambda: now[0])
    recent.get("a", lambda: "old")
    now[0] = 3.0
    seen: list[str] = []

    def slow() -> str:
        seen.append(recent.get("a", lambda: "computed twice"))
        return "new"

    assert recent.get("a", slow) == "new"
    assert seen == ["old"]
