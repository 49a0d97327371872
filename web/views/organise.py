"""Running a ladder: entering bots, creating a ladder, its schedule, seasons and state."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import wraps
from typing import Any, Final
from zoneinfo import available_timezones

import orjson
from flask import Response, request
from werkzeug.exceptions import BadRequest

from api.auth import actor
from api.problems import Problem
from api.resources.league.ladders import read_file
from api.services import services
from engine.registry import GAMES
from league.accounts.model import HOUSE, Bot
from league.accounts.tokens import Scope, Token
from league.errors import BadValue
from league.ladders.files import file_of, import_file
from league.ladders.model import NEXT_STATES, AccessVerdict, Ladder, LadderState
from league.ladders.schedule import CONTINUOUS, Continuous, Schedule, When
from league.ladders.settings import (
    MOST_DESCRIPTION,
    MOST_MINIMUM,
    MOST_ORGANISERS,
    MOST_REPEATS,
    LadderAccess,
    LadderSettings,
)
from league.operators.audit import AuditActor, AuditFilter
from league.operators.organisers import CorrectionAction
from league.pairing.formats import DEFAULT_FORMAT, FORMATS
from league.pairing.plan import DeckMode
from league.permissions import check_enters, check_own_ladder, check_withdraws
from records.instants import ms_of
from records.match.assist import ASSISTS, LIST
from records.match.clock import ClockRule
from referee.errors import NoSuchMatch
from web.fields import field, match_named, member, number, pace, reason, ticked
from web.pages import Pages, again, show, to
from web.queries import cursor, following, text
from web.session import creating, signed_in
from web.views.ladders import ladder_frame

pages = Pages("site_organise", __name__)
Step = Callable[[AuditActor, str], None]

_DAY_S: Final = 86_400
_MOST_FILE: Final = 200_000
_MOST_NAMES: Final = 100
"""The most owners and bots of one form."""
_FIRST_STATES: Final = (LadderState.OPEN, LadderState.RUNNING, LadderState.DRAFT)
_DEFAULTS: Final = {
    "name": "",
    "description": "",
    "game": "durak",
    "seats": "2",
    "format": DEFAULT_FORMAT,
    "decks": "",
    "repeats": "1",
    "options": "",
    "deals": "",
    "parameters": "",
    "minimum_groups": "0",
    "schedule": "hand",
    "cron": "0 18 * * *",
    "timezone": "Europe/Moscow",
    "season_cron": "",
    "move_s": "5",
    "bank_s": "30",
    "increment_s": "0",
    "grace_ms": "250",
    "strikes": "3",
    "start_s": "",
    "state": "running",
    "rated": "on",
    "assist": LIST,
    "check": "",
}


def _manage_page(ladder_id: str) -> tuple[str, dict[str, Any]]:
    return "ladder_manage.html", _managed(signed_in(), ladder_id)


def _new_page() -> tuple[str, dict[str, Any]]:
    """Return the page of a new ladder as its form was sent, or the file that was to be imported."""
    is_import = "file" in request.form
    sent = _DEFAULTS if is_import else {name: request.form.get(name, "") for name in _DEFAULTS}
    return "new_ladder.html", {**_choices(), "values": sent, "file": request.form.get("file", "")}


def _step(rule: str, *, creates: bool = False) -> Callable[[Step], Step]:
    """Register a step that organisers of a ladder take with a form. It goes back to the page of controls, or shows a
    refusal on it."""

    def decorate(step: Step) -> Step:
        @pages.form(f"/ladders/<ladder_id>/{rule}", again=_manage_page)
        @wraps(step)
        def act(ladder_id: str) -> Response:
            token = creating(Scope.LEAGUE) if creates else signed_in(Scope.LEAGUE)
            check_own_ladder(token, services().ladders.get(ladder_id))
            step(actor(token), ladder_id)
            return to(f"/ladders/{ladder_id}/manage")

        return step

    return decorate


@pages.form("/ladders/<ladder_id>/enter")
def enter(ladder_id: str) -> Response:
    """Enter a bot."""
    token = signed_in(Scope.LEAGUE)
    ladder = services().ladders.get(ladder_id)
    bot = _named_bot()
    check_enters(token, ladder, bot)
    services().ladders.enter(ladder_id, bot)
    return to(f"/ladders/{ladder_id}" + ("/manage" if bot.house else ""))


@pages.form("/ladders/<ladder_id>/leave")
def leave(ladder_id: str) -> Response:
    """Withdraw a bot."""
    token = signed_in(Scope.LEAGUE)
    ladder = services().ladders.get(ladder_id)
    bot = _named_bot()
    check_withdraws(token, ladder, bot)
    if bot.owner == token.owner:
        services().ladders.withdraw(ladder_id, bot.id)
    else:
        services().organisers.withdraw(actor(token), ladder_id, bot)
    return to(f"/ladders/{ladder_id}" + ("" if bot.owner == token.owner else "/manage"))


@pages.page("/new-ladder")
def new_ladder() -> str:
    """Show the form for a new ladder."""
    signed_in(Scope.LEAGUE)
    return show("new_ladder.html", **_choices(), values=_DEFAULTS, refusal=None)


@pages.form("/new-ladder", again=_new_page)
def create_ladder() -> Response:
    """Create a ladder."""
    token = creating(Scope.LEAGUE)
    ladder = services().ladders.create(token.owner, _settings(), state=field("state", 20))
    return to(f"/ladders/{ladder.id}/manage")


@pages.form("/import-ladder", again=_new_page)
def import_ladder() -> str | Response:
    """Create a ladder from the text of a file."""
    token = creating(Scope.LEAGUE)
    try:
        data = orjson.loads(field("file", _MOST_FILE))
    except orjson.JSONDecodeError:
        raise BadRequest("the file is not JSON") from None
    name = field("name", 200)
    if name and isinstance(data, dict) and isinstance(data.get("settings"), dict):
        data["settings"]["name"] = name
    try:
        file = read_file(data)
    except Problem as invalid:
        return again("new_ladder.html", invalid, **_new_page()[1])
    made = import_file(services().ladders, token.owner, file)
    if made.left_out:
        return show(
            "ladder_manage.html", **_managed(token, made.ladder.id), left_out=made.left_out, refusal=None
        )
    return to(f"/ladders/{made.ladder.id}/manage")


@pages.page("/ladders/<ladder_id>/export.json")
def export_ladder(ladder_id: str) -> Response:
    """Return a ladder as a file."""
    ladder = services().ladders.get(ladder_id)
    check_own_ladder(signed_in(Scope.LEAGUE), ladder)
    entries, rules = services().ladders.entries(ladder_id), services().ladders.access.rules(ladder_id)
    headers = {"Content-Disposition": f'attachment; filename="ladder-{ladder_id}.json"'}
    file = file_of(ladder) if text("template") is not None else file_of(ladder, entries, rules)
    indented = orjson.dumps(file, option=orjson.OPT_INDENT_2)
    return Response(indented, mimetype="application/json", headers=headers)


@pages.page("/ladders/<ladder_id>/manage")
def manage(ladder_id: str) -> str:
    """Show the controls of a ladder to its organisers."""
    return show("ladder_manage.html", **_managed(signed_in(), ladder_id), refusal=None)


@_step("about")
def set_texts(by: AuditActor, ladder_id: str) -> None:
    """Change the name and the description."""
    services().organisers.change(by, ladder_id, _texts())


@_step("play")
def set_play(by: AuditActor, ladder_id: str) -> None:
    """Change how rounds are played."""
    ladder = services().ladders.get(ladder_id)
    changes = _play(ladder.clock, ladder.start_ms, unplayed="game" in request.form)
    services().organisers.change(by, ladder_id, changes)


@_step("state")
def set_state(by: AuditActor, ladder_id: str) -> None:
    """Change the state of a ladder."""
    services().organisers.change(by, ladder_id, state=field("state", 20))


@_step("schedule")
def set_schedule(by: AuditActor, ladder_id: str) -> None:
    """Change when rounds start and seasons end, both or neither."""
    services().organisers.change(by, ladder_id, _schedules())


@_step("access")
def set_access(by: AuditActor, ladder_id: str) -> None:
    """Change who may enter bots."""
    services().organisers.change(by, ladder_id, {"access": member("access", LadderAccess)})


@_step("rules")
def set_rules(by: AuditActor, ladder_id: str) -> None:
    """Invite or ban owners and bots, or remove their rules."""
    names = field("names", _MOST_NAMES * 66).split()
    verdict = member("rule", AccessVerdict) if field("rule") else None
    if not 1 <= len(names) <= _MOST_NAMES:
        raise BadValue("names", len(names), f"1 to {_MOST_NAMES} names")
    services().organisers.set_rules(by, ladder_id, names, verdict, field("reason", 200))


@_step("freeze")
def freeze(by: AuditActor, ladder_id: str) -> None:
    """Withhold results from an instant on, or from now on."""
    since = field("from", 40)
    try:
        at = ms_of(since) if since else None
    except (ValueError, OverflowError):
        raise BadValue("from", since, "an instant such as 2026-11-27T18:00:00Z") from None
    services().organisers.freeze(by, ladder_id, at)


@_step("release")
def release(by: AuditActor, ladder_id: str) -> None:
    """Publish the results that are withheld."""
    services().organisers.release(by, ladder_id)


@_step("organisers")
def set_organisers(by: AuditActor, ladder_id: str) -> None:
    """Change the co-organisers."""
    names = field("organisers", MOST_ORGANISERS * 33).split()
    owners = {services().accounts.owner_by_name(name).id: name for name in names}
    services().organisers.change(by, ladder_id, organisers=owners)


@_step("void")
def void_match(by: AuditActor, ladder_id: str) -> None:
    """Void a match, named by its id or its address."""
    services().administration.void(by, _match_of(ladder_id), reason())


@_step("rerun")
def rerun_match(by: AuditActor, ladder_id: str) -> None:
    """Play a void match again, named by its id or its address."""
    services().administration.rerun(by, _match_of(ladder_id), reason())


@_step("corrections")
def correct_result(by: AuditActor, ladder_id: str) -> None:
    """Correct the result of a season."""
    action, season = member("action", CorrectionAction), number("season", 1, 999_999_999)
    services().organisers.correct(by, ladder_id, action, _named_bot(), season, reason())


@_step("rounds", creates=True)
def start_round(_: AuditActor, ladder_id: str) -> None:
    """Start a round now."""
    services().rounds.start(ladder_id)


@_step("seasons", creates=True)
def end_season(by: AuditActor, ladder_id: str) -> None:
    """End the current season."""
    services().organisers.end_season(by, ladder_id)


@pages.page("/ladders/<ladder_id>/log")
def audit_log(ladder_id: str) -> str:
    """Show the audit log of a ladder to its organisers."""
    frame = ladder_frame(ladder_id)
    check_own_ladder(signed_in(Scope.LEAGUE), frame.ladder)
    at = cursor(f"audit {ladder_id}")
    entries, then = services().audit.page(AuditFilter(ladder=ladder_id), at.place, 100)
    return show("ladder_log.html", frame=frame, entries=entries, next=following(at.then(then)))


def _managed(token: Token, ladder_id: str) -> dict[str, Any]:
    frame = ladder_frame(ladder_id)
    ladder: Ladder = frame.ladder
    check_own_ladder(token, ladder)
    entries, _ = services().ladders.entries_page(ladder_id, None, 1000)
    entered = {each.bot for each in entries}
    house = services().accounts.bots(HOUSE, None, 200).bots
    cron = ladder.schedule if isinstance(ladder.schedule, Schedule) else None
    return {
        **_choices(),
        "frame": frame,
        "unplayed": services().ladders.store.last_round(ladder_id) == 0,
        "values": _values(ladder),
        "states": sorted(
            NEXT_STATES[ladder.state] - ({LadderState.CLOSED} if ladder.state == "closing" else set())
        ),
        "entries": entries,
        "online": services().presence.online(list(entered)),
        "house": [bot for bot in house if bot.id not in entered],
        "modes": list(LadderAccess),
        "rules": services().ladders.access.rules(ladder_id),
        "cron": cron,
        "season_cron": ladder.season_schedule,
        "continuous": isinstance(ladder.schedule, Continuous),
    }


def _values(ladder: Ladder) -> dict[str, Any]:
    """Return what the forms about a ladder's settings contain at first."""
    usual = GAMES[ladder.game].table(ladder.seats, {}).options
    return {
        **vars(ladder),
        "options": _in_words({name: value for name, value in ladder.options.items() if usual[name] != value}),
        "deals": ""
        if ladder.settings.deals is None or ladder.decks != DeckMode.INDEPENDENT
        else ladder.deals,
        "parameters": _in_words(ladder.parameters),
        "move_s": ladder.clock.move_ms // 1000,
        "bank_s": ladder.clock.bank_ms // 1000,
        "increment_s": ladder.clock.increment_ms // 1000,
        "grace_ms": ladder.clock.grace_ms,
        "strikes": ladder.clock.strikes,
        "start_s": "" if ladder.start_ms is None else ladder.start_ms // 1000,
    }


def _settings() -> LadderSettings:
    """Return the settings of a new ladder. Raise `BadRequest`."""
    return LadderSettings(**_texts(), **_play(ClockRule(), None, unplayed=True), **_schedules())


def _texts() -> dict[str, Any]:
    return {"name": field("name", 200), "description": field("description", MOST_DESCRIPTION)}


def _play(clock: ClockRule, start_ms: int | None, *, unplayed: bool) -> dict[str, Any]:
    """Return what the form says of how rounds are played, with `unplayed` everything. Raise `BadRequest`."""
    found: dict[str, Any] = {
        "repeats": number("repeats", 1, MOST_REPEATS),
        "check": ticked("check"),
        "minimum_groups": number("minimum_groups", 0, MOST_MINIMUM, 0),
        "start_ms": _ms("start", start_ms or 0, 0) or None,
        "parameters": _named_values("parameters"),
        "clock": pace()
        or clock._replace(
            move_ms=_ms("move", clock.move_ms, clock.move_ms // 1000),
            bank_ms=_ms("bank", clock.bank_ms, clock.bank_ms // 1000),
            increment_ms=_ms("increment", clock.increment_ms, clock.increment_ms // 1000),
            grace_ms=number("grace_ms", 0, _DAY_S, clock.grace_ms),
            strikes=number("strikes", 0, _DAY_S, clock.strikes),
        ),
    }
    if unplayed:
        found |= {
            "game": field("game", 64),
            "seats": number("seats", 2, 16),
            "format": field("format", 64),
            "decks": field("decks", 64) or None,
            "rated": ticked("rated"),
            "options": _named_values("options", _option_texts(field("game", 64))),
            "deals": number("deals", 1, 999_999_999, 0) or None,
            "assist": field("assist", 64) or LIST,
        }
    return found


def _ms(name: str, present: int, default_s: int) -> int:
    """Return a field in seconds as ms. The present value, of which it shows whole seconds, stays as it is."""
    seconds = number(f"{name}_s", 0, _DAY_S, default_s)
    return present if seconds == present // 1000 else 1000 * seconds


def _in_words(values: Mapping[str, Any]) -> str:
    """Return `NAME=VALUE` with spaces between."""
    return " ".join(
        f"{name}={value if isinstance(value, str) else orjson.dumps(value).decode()}"
        for name, value in values.items()
    )


def _option_texts(game: str) -> Collection[str]:
    """Return the options of a game whose values are texts, such as the rank 9."""
    schemas = GAMES[game].option_schemas if game in GAMES else {}
    return {name for name, schema in schemas.items() if schema["type"] == "string"}


def _named_values(field_name: str, texts: Collection[str] = ()) -> dict[str, Any]:
    """Return the values of a field of the form `NAME=VALUE` with spaces between. Those of `texts` are texts, and the
    others JSON if they can. Raise `BadRequest`."""
    found = {}
    for part in field(field_name, 500).split():
        name, equals, value = part.partition("=")
        if not name or not equals:
            raise BadRequest(f"{field_name}: {part!r} is not of the form NAME=VALUE")
        try:
            found[name] = value if name in texts else orjson.loads(value)
        except orjson.JSONDecodeError:
            found[name] = value
    return found


def _schedules() -> dict[str, Any]:
    """Return when rounds start and seasons end, as the form says."""
    zone, season_cron = field("timezone", 64) or "UTC", field("season_cron", 200)
    chosen = field("schedule", 20)
    schedule: When | None = None
    if chosen == CONTINUOUS:
        schedule = Continuous()
    elif chosen == "cron":
        schedule = Schedule(field("cron", 200), zone)
    return {"schedule": schedule, "season_schedule": Schedule(season_cron, zone) if season_cron else None}


def _choices() -> dict[str, Any]:
    return {
        "games": GAMES,
        "formats": list(FORMATS),
        "decks": list(DeckMode),
        "assists": ASSISTS,
        "states": _FIRST_STATES,
        "zones": sorted(available_timezones()),
    }


def _match_of(ladder_id: str) -> str:
    """Return the match of a ladder that a field names. Raise `NoSuchMatch`."""
    match = match_named()
    if services().referee.look(match).config.ladder != ladder_id:
        raise NoSuchMatch("the ladder has no such match")
    return match


def _named_bot() -> Bot:
    owner, _, name = field("bot", 65).partition("/")
    return services().accounts.bot(owner, name)
