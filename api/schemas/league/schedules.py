"""Schedules of rounds and seasons, and what comes next."""

from __future__ import annotations

from typing import Any, Final

from marshmallow import ValidationError, fields

from api.schemas.common import (
    Json,
    Strict,
    String,
    either,
    instant,
    listed,
    obj,
    ref,
    text,
)
from api.schemas.responses import ResponseSchema, dump
from league.ladders.model import Ladder
from league.ladders.schedule import CONTINUOUS
from league.rounds.forecast import Forecast, WaitsFor


class ScheduleSchema(Strict):
    """When rounds start by themselves, while the ladder is `running`."""

    cron = String(
        1,
        200,
        "Minute, hour, day of month, month, day of week; or `@hourly` and similar",
        required=True,
        metadata={"example": "*/5 * * * *"},
    )
    timezone = String(1, 64, "An IANA time zone", load_default="UTC", metadata={"example": "Europe/Moscow"})


AT_ONCE: Final[Json] = {"type": "string", "enum": [CONTINUOUS]}


class WhenField(fields.Field[Any]):
    """A schedule, or `continuous`."""

    def __init__(self, **more: Any) -> None:
        schema = {
            "oneOf": [AT_ONCE, ref("Schedule"), {"type": "null"}],
            "description": "When rounds start by themselves while the ladder is `running`. "
            "`continuous`: as soon as the previous round is over. Null: only by hand",
        }
        super().__init__(allow_none=True, metadata=schema, **more)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if value == CONTINUOUS:
            return value
        if isinstance(value, str):
            raise ValidationError(f"Must be an object with `cron`, or {CONTINUOUS}.")
        return ScheduleSchema().load(value)


WHEN: Final[Json] = {
    "oneOf": [ref("CronSchedule"), AT_ONCE, {"type": "null"}],
    "description": "When rounds start by themselves; `continuous`: as soon as the previous round is over; null: only "
    "by hand",
}


class LadderForecastSchema(ResponseSchema):
    """What comes next in a ladder."""

    schedule = WHEN
    waits_for = text(
        "What must come before the next round: instant, the next of `next_rounds`; round, the end of the current "
        "round; entries, enough bots that can be seated together, checked again at `next_look`; hand, a start by "
        "hand; state, a ladder that is open or running; service, a service that is paused or draining",
        enum=[each.value for each in WaitsFor],
    )
    next_rounds = listed(
        instant("A start"),
        "The next starts; empty unless the ladder runs, and empty for a `continuous` schedule, because the end of "
        "a round can't be predicted",
    )
    next_look = instant(
        "The next check whether a round can start; null unless rounds are `continuous`", null=True
    )
    running = listed(
        {"type": "integer", "minimum": 1}, "The numbers of the running rounds; only an arena's overlap"
    )
    season_schedule = either("CronSchedule", "When seasons end by themselves")
    next_seasons = listed(instant("An end"), "When the next seasons end by themselves, the next first")


def forecast_view(ladder: Ladder, forecast: Forecast) -> Json:
    """Return the ladder's schedules and its forecast."""
    schedules = {
        "schedule": ladder.schedule and ladder.schedule.to_json(),
        "season_schedule": ladder.season_schedule and ladder.season_schedule.to_json(),
    }
    return dump(LadderForecastSchema, {**forecast._asdict(), **schedules})


COMPONENTS: Final[dict[str, Json]] = {
    "CronSchedule": obj(
        {"cron": text("When rounds start"), "timezone": text("The time zone of the expression")}
    ),
}
