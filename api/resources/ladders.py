"""Ladders, their entries and rounds, and what came of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson
from flask import Response

from api import auth
from api.blueprint import Blueprint
from api.describe import LOCATION, NOT_ADMITTED, Answer, describe
from api.idempotency import once
from api.problems import Problem
from api.rates import Of
from api.schemas.brackets import bracket_view
from api.schemas.ladders import (
    CrossTableQuery,
    EntriesQuery,
    EntrySchema,
    LadderChangeSchema,
    LaddersQuery,
    NewLadderSchema,
    RoundsQuery,
    StandingsQuery,
    cell_view,
    cron_of,
    entry_view,
    ladder_view,
    next_round_view,
    round_view,
    schedule_view,
    standing_view,
    tables_view,
    when_of,
)
from api.schemas.seasons import SeasonQuery
from api.services import services
from api.tables import PICTURE, picture, table, table_of
from api.wire import answer
from league import pictures
from league.accounts import Bot
from league.ladder import Ladder, Position, Round, RoundState, Standing
from league.ratings import shown
from league.sums import Line
from league.tokens import Kind, Scope, Token
from referee.clock import ClockRule
from referee.record import preset_of
from referee.table import table_of as table_at

blueprint = Blueprint("ladders", __name__, description="Ladders: rounds by schedule, standings, cross table.")

Body = dict[str, Any]
_THERE = ("not_found", "no_such_ladder")
_MINE = (*_THERE, "not_your_ladder", "wrong_token_kind", "no_such_owner", "overtaken")


@blueprint.route("/v1/ladders", methods=["POST"])
@describe(
    "createLadder",
    {201: Answer("The ladder", "Ladder", headers=LOCATION)},
    scope="league",
    problems=["wrong_token_kind", "no_such_game", "no_such_owner", "bad_table", "bad_value"],
    has_body=True,
    keyed=1,
)
@blueprint.arguments(NewLadderSchema)
def create_ladder(body: Body) -> Response:
    """A ladder of mine. Bots are entered next; with a schedule and the state `running` it plays by itself."""
    token = auth.caller(Scope.LEAGUE, Of.CREATIONS)
    owner = auth.owner_of(token)
    cron, timezone = when_of(body["schedule"])
    season_cron, season_timezone = cron_of(body["season_schedule"])

    def create(ident: str | None) -> Response:
        ladder = services().ladders.create(
            owner,
            body["name"],
            body["game"],
            body["seats"],
            body["options"],
            deals=body["deals"],
            clock=ClockRule(**body["clock"]),
            cron=cron,
            timezone=timezone,
            season_cron=season_cron,
            season_timezone=season_timezone,
            repeats=body["repeats"],
            rated=body["rated"],
            decks=body["decks"],
            format_=body["format"],
            parameters=body["parameters"],
            check=body["rated"] if body["check"] is None else body["check"],
            state=body["state"],
            ladder_id=None if ident is None else "l" + ident[2:18],
        )
        return _ladder(ladder, 201, {"Location": f"/v1/ladders/{ladder.id}"})

    return once(token.id, create)


@blueprint.route("/v1/ladders")
@describe("listLadders", {200: Answer("Ladders", "LadderPage")}, problems=["bad_cursor"], has_query=True)
@blueprint.arguments(LaddersQuery, location="query")
def list_ladders(query: Body) -> Response:
    """Ladders, the youngest first."""
    cursor = services().cursors.of("ladders", query)
    ladders, then = services().ladders.page(cursor.place, query["limit"])
    names = {owner: services().accounts.owner(owner).name for owner in {ladder.owner for ladder in ladders}}
    found = [ladder_view(ladder, names[ladder.owner]) for ladder in ladders]
    return answer({"ladders": found, "cursor": cursor.then(then)})


@blueprint.route("/v1/ladders/<ladder>")
@describe("getLadder", {200: Answer("The ladder", "Ladder")}, problems=_THERE)
def get_ladder(ladder: str) -> Response:
    """A ladder."""
    return _ladder(services().ladders.get(ladder))


@blueprint.route("/v1/ladders/<ladder>", methods=["PATCH"])
@describe(
    "changeLadder",
    {200: Answer("The ladder as it is now", "Ladder")},
    scope="league",
    problems=[*_MINE, "wrong_ladder_state", "bad_value"],
    has_body=True,
)
@blueprint.arguments(LadderChangeSchema)
def change_ladder(body: Body, ladder: str) -> Response:
    """Change a ladder of mine: its state, its schedules."""
    found = mine(auth.caller(Scope.LEAGUE), ladder)
    if "schedule" in body:
        found = services().ladders.set_schedule(ladder, *when_of(body["schedule"]))
    if "season_schedule" in body:
        found = services().ladders.set_season_schedule(ladder, *cron_of(body["season_schedule"]))
    if "state" in body:
        found = services().ladders.set_state(ladder, body["state"])
    return _ladder(found)


@blueprint.route("/v1/ladders/<ladder>/entries")
@describe(
    "listEntries", {200: Answer("Entries", "LadderEntries")}, problems=[*_THERE, "bad_cursor"], has_query=True
)
@blueprint.arguments(EntriesQuery, location="query")
def list_entries(query: Body, ladder: str) -> Response:
    """Who takes part."""
    cursor = services().cursors.of(f"entries {ladder}", query)
    entries, then = services().ladders.entries_page(
        ladder, cursor.place, query["limit"], withdrawn=query["withdrawn"]
    )
    found = [entry_view(entry) for entry in entries]
    return answer({"entries": found, "cursor": cursor.then(then)})


@blueprint.route("/v1/ladders/<ladder>/entries", methods=["POST"])
@describe(
    "enterBot",
    {200: Answer("The entry", "LadderEntry")},
    scope="league",
    problems=[
        *_THERE,
        "no_such_bot",
        "not_your_bot",
        "wrong_token_kind",
        "entry_refused",
        "wrong_ladder_state",
    ],
    has_body=True,
)
@blueprint.arguments(EntrySchema)
def enter_bot(body: Body, ladder: str) -> Response:
    """Enter a bot of mine, or a house bot in a ladder of mine, from the next round on.

    Entering twice is entering once.
    """
    token = auth.caller(Scope.LEAGUE)
    bot = _enterable(token, services().ladders.get(ladder), *body["bot"].split("/"))
    return answer(entry_view(services().ladders.enter(ladder, bot, body["entropy"])))


@blueprint.route("/v1/ladders/<ladder>/entries/<owner>/<bot>", methods=["DELETE"])
@describe(
    "withdrawBot",
    {200: Answer("The entry", "LadderEntry")},
    scope="league",
    problems=[
        *_THERE,
        "no_such_bot",
        "not_your_bot",
        "wrong_token_kind",
        "entry_refused",
        "wrong_ladder_state",
    ],
)
def withdraw_bot(ladder: str, owner: str, bot: str) -> Response:
    """Withdraw a bot of mine, or any bot from a ladder of mine. Matches under way are played out."""
    token = auth.caller(Scope.LEAGUE)
    found = services().ladders.get(ladder)
    who = services().accounts.bot(owner, bot)
    if auth.owner_of(token) not in (who.owner, found.owner):
        raise Problem("not_your_bot", f"{who.full_name} belongs to somebody else, and so does the ladder")
    return answer(entry_view(services().ladders.withdraw(ladder, who.id)))


@blueprint.route("/v1/ladders/<ladder>/rounds", methods=["POST"])
@describe(
    "startRound",
    {201: Answer("The round", "Round", headers=LOCATION)},
    scope="league",
    problems=[*_MINE, "round_running", "nothing_to_play", "wrong_ladder_state", *NOT_ADMITTED],
    keyed=1,
)
def start_round(ladder: str) -> Response:
    """Start a round of a ladder of mine now."""
    token = auth.caller(Scope.LEAGUE, Of.CREATIONS)
    found = mine(token, ladder)

    def create(_: str | None) -> Response:
        round_ = services().rounds.start(ladder)
        return answer(
            _round(found, round_), 201, {"Location": f"/v1/ladders/{ladder}/rounds/{round_.number}"}
        )

    return once(token.id, create, has_body=False)


@blueprint.route("/v1/ladders/<ladder>/rounds")
@describe(
    "listRounds", {200: Answer("Rounds", "RoundPage")}, problems=[*_THERE, "bad_cursor"], has_query=True
)
@blueprint.arguments(RoundsQuery, location="query")
def list_rounds(query: Body, ladder: str) -> Response:
    """Rounds, the last first."""
    cursor = services().cursors.of(f"rounds {ladder}", query)
    before = None if cursor.place is None else int(cursor.place)
    rounds, then = services().ladders.rounds(ladder, before, query["limit"])
    of = services().ladders.get(ladder)
    found = [_round(of, round_) for round_ in rounds]
    return answer({"rounds": found, "cursor": cursor.then(None if then is None else str(then))})


@blueprint.route("/v1/ladders/<ladder>/rounds/next")
@describe(
    "previewRound",
    {200: Answer("What it would be", "NextRound")},
    token_optional=True,
    problems=[*_THERE, "nothing_to_play", "round_running"],
)
def preview_round(ladder: str) -> Response:
    """Who would meet if the next round started now. Nothing is started.

    Where the names at a table are hidden and not everybody meets everybody, its meetings are for the ladder's owner.
    """
    token, found = auth.asker(), services().ladders.get(ladder)
    mine = token is not None and token.kind is Kind.OWNER and token.owner == found.owner
    shown = mine or not found.hides_pairings
    return answer(next_round_view(services().rounds.dry_run(ladder), shown=shown))


@blueprint.route("/v1/ladders/<ladder>/rounds/<int(max=999999999):number>")
@describe(
    "getRound",
    {200: Answer("The round", "Round")},
    token_optional=True,
    problems=[*_THERE, "no_such_round"],
)
def get_round(ladder: str, number: int) -> Response:
    """A round and how far it is; with a token also what it has left for the bots that the token speaks for."""
    token, of = auth.asker(), services().ladders.round(ladder, number)
    said = _round(services().ladders.get(ladder), of)
    if token is None:
        return answer(said)
    mine = [each for each in of.entrants if each.owner == token.owner and token.bot in (None, each.id)]
    return answer({**said, "mine": [tables_view(each) for each in services().rounds.tables_left(of, mine)]})


@blueprint.route("/v1/ladders/<ladder>/standings")
@describe(
    "getStandings",
    {200: table_of("The standings", "Standings")},
    problems=[*_THERE, "bad_cursor", "no_such_season"],
    has_query=True,
)
@blueprint.arguments(StandingsQuery, location="query")
def get_standings(query: Body, ladder: str) -> Response:
    """The standings of a season, by points per deal, with the ratings as they are now."""
    cursor = services().cursors.of(f"standings {ladder}", query)
    after = None if cursor.place is None else Position(*orjson.loads(cursor.place))
    page, then = services().ladders.standings_page(ladder, after, query["limit"], query["season"])
    found = services().ladders.get(ladder)
    views = _views(found, query["season"], page)
    following = None if then is None else orjson.dumps([*then]).decode()
    head = {"preset": _preset(found), "season": query["season"] or found.season}
    return table({**head, "standings": views, "cursor": cursor.then(following)}, views)


@blueprint.route("/v1/ladders/<ladder>/standings.svg")
@describe("drawStandings", {200: PICTURE}, problems=[*_THERE, "no_such_season"], has_query=True)
@blueprint.arguments(SeasonQuery, location="query")
def draw_standings(query: Body, ladder: str) -> Response:
    """Points per deal and ratings of a ladder's bots, with their intervals, in the order of the standings, as a
    picture."""
    found = services().ladders.get(ladder)
    standings = services().ladders.standings(ladder, query["season"])
    views = _views(found, query["season"], standings[: pictures.MOST_ROWS])
    rows = [
        pictures.Row(
            each["bot"],
            _bar(each["points_per_deal"], each["points_low"], each["points_high"]),
            None
            if (of := each["rating"]) is None
            else pictures.Bar(of["rating"], of["low"], of["high"], of["anchor"]),
        )
        for each in views
    ]
    return picture(pictures.standings(found.name, rows, len(standings) - len(rows)))


@blueprint.route("/v1/ladders/<ladder>/crosstable")
@describe(
    "getCrossTable",
    {200: table_of("The cross table", "CrossTable")},
    problems=[*_THERE, "no_such_season", "bad_cursor"],
    has_query=True,
)
@blueprint.arguments(CrossTableQuery, location="query")
def get_cross_table(query: Body, ladder: str) -> Response:
    """How each bot did against each other in a season, by whole rows."""
    season = query["season"] or services().ladders.get(ladder).season
    cursor = services().cursors.of(f"crosstable {ladder}", {**query, "season": season})
    cells, then = services().ladders.cross_page(ladder, cursor.place, query["limit"], season)
    bots = [{"bot": each.name, "id": each.bot} for each in services().ladders.standings(ladder, season)]
    names = {bot["id"]: bot["bot"] for bot in bots}
    views = [cell_view(cell) for cell in cells]
    rows = ({**view, "bot": names[view["bot"]], "opponent": names[view["opponent"]]} for view in views)
    found = {"bots": bots, "cells": views, "cursor": cursor.then(then)}
    return table({"season": season, **found}, rows)


@blueprint.route("/v1/ladders/<ladder>/crosstable.svg")
@describe("drawCrossTable", {200: PICTURE}, problems=[*_THERE, "no_such_season"], has_query=True)
@blueprint.arguments(SeasonQuery, location="query")
def draw_cross_table(query: Body, ladder: str) -> Response:
    """The cross table of the first in the standings of a season as a picture."""
    standings = services().ladders.standings(ladder, query["season"])
    bots = [each.bot for each in standings[: pictures.MOST_CELLS]]
    found = services().ladders.cross_table(ladder, bots, query["season"])
    cells = {(cell.bot, cell.opponent): cell.line for cell in found}
    rows = [[_shown(cells.get((one, other))) for other in bots] for one in bots]
    name = services().ladders.get(ladder).name
    return picture(pictures.cross_table(name, [each.name for each in standings], rows))


@blueprint.route("/v1/ladders/<ladder>/bracket")
@describe(
    "getBracket",
    {200: Answer("The bracket", "Bracket")},
    problems=[*_THERE, "no_such_season", "no_bracket"],
    has_query=True,
)
@blueprint.arguments(SeasonQuery, location="query")
def get_bracket(query: Body, ladder: str) -> Response:
    """The bracket of a knock-out: who met whom, who went on, and who had a bye."""
    found = services().ladders.get(ladder)
    bracket = services().rounds.bracket(ladder, query["season"])
    return answer(bracket_view(found, query["season"] or found.season, bracket))


@blueprint.route("/v1/ladders/<ladder>/schedule")
@describe("getSchedule", {200: Answer("The schedule", "ScheduleAhead")}, problems=_THERE)
def get_schedule(ladder: str) -> Response:
    """When the next rounds start, and what the next one waits for."""
    found = services().ladders.get(ladder)
    return answer(schedule_view(found, services().rounds.ahead(ladder)))


def _round(found: Ladder, round_: Round) -> Body:
    hidden = round_.state is RoundState.RUNNING and found.overlaps and found.hides_pairings
    return round_view(round_, services().rounds.jobs_before(round_), hidden=hidden)


def _preset(ladder: Ladder) -> str:
    return preset_of(table_at(ladder.game, ladder.seats, tuple(sorted(ladder.options.items()))))


def _views(ladder: Ladder, season: int | None, standings: Sequence[Standing]) -> list[Body]:
    preset, bots = _preset(ladder), [standing.bot for standing in standings]
    ratings = services().ratings.ratings(preset, bots)
    adjusted = services().adjusting.adjusted(ladder.id, season or ladder.season, bots)
    return [
        standing_view(
            one,
            adjusted.get(one.bot),
            shown(preset, one.name, ratings[one.bot]) if one.bot in ratings else None,
        )
        for one in standings
    ]


def _bar(value: float | None, low: float | None, high: float | None) -> pictures.Bar | None:
    """Of one group alone the interval is not known, and nothing is shown."""
    return None if value is None or low is None or high is None else pictures.Bar(value, low, high)


def _shown(line: Line | None) -> pictures.Cell | None:
    if line is None or line.estimate is None:
        return None
    estimate = line.estimate
    reach = None if estimate.high is None else estimate.high - estimate.mean
    return pictures.Cell(estimate.mean, reach, line.wins / line.matches)


def _ladder(ladder: Ladder, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    owner = services().accounts.owner(ladder.owner)
    return answer(ladder_view(ladder, owner.name), status, headers)


def mine(token: Token, ladder: str) -> Ladder:
    """The ladder, if it belongs to the owner that asks."""
    found = services().ladders.get(ladder)
    if found.owner != auth.owner_of(token):
        raise Problem("not_your_ladder", "the ladder belongs to somebody else")
    return found


def _enterable(token: Token, ladder: Ladder, owner: str, name: str) -> Bot:
    """The bot, if the owner that asks may enter it in this ladder."""
    mine = auth.owner_of(token)
    bot = services().accounts.bot(owner, name)
    if bot.owner != mine and not (bot.house and ladder.owner == mine):
        raise Problem("not_your_bot", f"{bot.full_name} is not yours to enter here")
    return bot
