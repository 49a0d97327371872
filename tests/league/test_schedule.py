"""Schedules of rounds."""

from __future__ import annotations

import pytest

from league.errors import BadValue
from league.ladders.schedule import Schedule, checked_schedule
from records.instants import ms_of, text_of


@pytest.mark.parametrize(
    ("cron", "zone", "after", "expected"),
    [
        ("* * * * *", "UTC", "2025-11-21T00:00Z", "11-21T00:01 11-21T00:02"),
        ("0 20 * * fri", "Europe/Moscow", "2025-11-21T00:00Z", "11-21T17:00"),
        ("@daily", "Asia/Tokyo", "2025-11-21T00:00Z", "11-21T15:00"),
        # The hour that is skipped in spring, and the one that occurs twice in autumn.
        ("30 2 * * *", "Europe/Berlin", "2025-03-29T12:00Z", "03-30T01:00"),
        ("0 12 * * *", "Europe/Berlin", "2025-10-25T12:00Z", "10-26T11:00"),
        ("30 2 * * *", "Europe/Berlin", "2025-10-25T12:00Z", "10-26T00:30 10-27T01:30"),
        (
            "*/30 1-3 * * *",
            "Europe/Berlin",
            "2025-10-25T23:00Z",
            "10-25T23:30 10-26T00:00 10-26T00:30 10-26T02:00",
        ),
        ("30 * * * *", "Europe/Berlin", "2025-10-26T00:00Z", "10-26T00:30 10-26T01:30 10-26T02:30"),
    ],
)
def test_a_schedule_uses_its_time_zone(cron: str, zone: str, after: str, expected: str) -> None:
    schedule, instants = checked_schedule(cron, zone, ms_of(after)), expected.split()
    assert [text_of(at)[:16] for at in schedule.after(ms_of(after), len(instants))] == [
        f"2025-{each}" for each in instants
    ]


@pytest.mark.parametrize(
    "hours", ["*", "*/1", "0-23", "0-11,12-23", ",".join(str(hour) for hour in range(24))]
)
def test_a_start_in_every_hour_is_due_in_both_hours_of_the_same_name(hours: str) -> None:
    schedule, after = Schedule(f"0 {hours} * * *", "Europe/Berlin"), ms_of("2026-10-24T23:30:00Z")
    assert [text_of(at)[:16] for at in schedule.after(after, 3)] == [
        "2026-10-25T00:00",
        "2026-10-25T01:00",
        "2026-10-25T02:00",
    ]


@pytest.mark.parametrize(
    "cron",
    ["", "a b", "61 * * * *", "0 0 30 2 *", "R * * * *", "H * * * *", "* * * * * *", "@reboot", "é * * * *"],
)
def test_an_invalid_expression_or_one_that_never_fires_is_refused(cron: str) -> None:
    with pytest.raises(BadValue, match=r"schedule\.cron"):
        checked_schedule(cron, "UTC", 0)


@pytest.mark.parametrize("zone", ["", "Mars/Phobos", "../../etc/passwd", "/etc/localtime", "Europe", "a\0b"])
def test_an_unknown_time_zone_is_refused(zone: str) -> None:
    with pytest.raises(BadValue, match=r"schedule\.timezone"):
        checked_schedule("* * * * *", zone, 0)


@pytest.mark.parametrize("cron", ["30 2 * * *", "*/7 * * * *", "0 * * * *", "0 3 30 3 *", "59 1 26 10 *"])
@pytest.mark.parametrize("day", ["2025-03-30T00:00:00+01:00", "2025-10-26T00:00:00+02:00"])
def test_the_next_start_is_in_the_future_even_when_clocks_change(cron: str, day: str) -> None:
    schedule = Schedule(cron, "Europe/Berlin")
    for minute in range(0, 6 * 60, 5):
        now = ms_of(day) + minute * 60_000
        first, second = schedule.after(now, 2)
        assert now < first < second
        assert first == schedule.after(first - 1)[0]
