"""Bots: the list, and a bot's ratings, opponents, matches and private statistics."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import orjson
from flask import Response

from api.services import services
from engine.registry import GAMES
from league.accounts.model import Bot
from league.accounts.tokens import Scope
from league.errors import NoSuchBot
from league.fitness.model import KEPT_DAYS
from league.fitness.statistics import Activity
from league.permissions import sees_statistics
from league.queue.model import EntryState, QueueEntry
from league.ratings.book import HeadToHead
from records.match.loaded_match import LoadedMatch
from records.ratings.model import Rating
from referee.storage.index import MatchFilter
from web.fields import ticked
from web.intervals import ends_of
from web.pages import Pages, show, to
from web.queries import PAGE, among, cursor, following, text
from web.session import creating, viewer
from web.views.matches import summaries

pages = Pages("site_bots", __name__)

_SORTS: Final[Mapping[str, Callable[[Activity], int]]] = {
    "games": lambda known: known.games,
    "seen": lambda known: known.last or 0,
}
"""By what bots can be sorted besides name and rating."""
_ROWS: Final = 100
"""Bots of a page of the list."""
_CURVE: Final = 500
"""Rated groups of a curve."""
_HISTORY: Final = 25
_MATCHES: Final = 20
_DAYS: Final = 7
_LOSSES: Final = 10


@pages.page("/bots")
def list_bots() -> str:
    """Show the bots by name, those rated in a preset with the highest rating first, or those that have played by their
    matches."""
    presets = services().ratings.presets()
    preset = among("preset", presets)
    if preset is not None:
        return _rated(preset, presets)
    owner, sort = text("owner", 32), among("sort", _SORTS)
    at = cursor("bots", {"owner": owner, "sort": sort})
    if sort is None or owner is not None:
        found = services().accounts.bots(owner, at.place, _ROWS)
        bots, next_place = found.bots, at.then(found.cursor)
    else:
        ids, then = services().statistics.most_active(sort, at.place, _ROWS)
        bots = [each for each in services().accounts.bots_by_ids(ids) if each is not None]
        next_place = at.then(then)
    ids = [each.id for each in bots]
    activity = dict(zip(ids, services().statistics.activity(ids), strict=True))
    if sort is not None:
        bots = sorted(bots, key=lambda bot: _SORTS[sort](activity[bot.id]), reverse=True)
    return show(
        "bots.html",
        bots=bots,
        ratings=_by_bot(presets, bots),
        activity=activity,
        presets=presets,
        owner=owner,
        sort=sort or "name",
        next=following(next_place),
    )


def _by_bot(presets: Sequence[str], bots: Sequence[Bot]) -> dict[str, list[tuple[str, Rating]]]:
    """Return the presets in which each bot is rated, with its ratings."""
    found: dict[str, list[tuple[str, Rating]]] = {bot.id: [] for bot in bots}
    for preset in presets:
        for bot, rating in services().ratings.ratings(preset, list(found)).items():
            found[bot].append((preset, rating))
    return found


def _rated(preset: str, presets: Sequence[str]) -> str:
    at = cursor("rated", {"preset": preset})
    rated, then = services().ratings.page(preset, at.place, PAGE)
    return show(
        "bots_rated.html",
        drawn=ends_of((each.rating.low, each.rating.high) for each in rated),
        rated=rated,
        activity=services().statistics.activity([each.bot for each in rated]),
        preset=preset,
        presets=presets,
        next=following(at.then(then)),
    )


@pages.page("/bots/<owner>/<name>")
def show_bot(owner: str, name: str) -> str | Response:
    """Show a bot; to its owner also its statistics."""
    bot = services().accounts.bot(owner, name)
    if bot.full_name != f"{owner}/{name}":  # it was renamed
        return to(f"/bots/{bot.full_name}")
    ratings = services().ratings.of_bot(bot.id)
    preset = among("preset", ratings) or next(iter(ratings), None)
    page = services().index.matches(MatchFilter(bot=bot.id), None, _MATCHES)
    return show(
        "bot.html",
        bot=bot,
        off=bool(services().accounts.unavailable([bot])),
        ratings=ratings,
        preset=preset,
        curve=_curve(bot, preset),
        versus=_versus(bot, preset),
        matches=summaries(page),
        regret=services().regret.of(bot.id, KEPT_DAYS),
        private=_private(bot),
        mine=bot.owner == viewer().owner,
        followed=_is_followed(bot),
        challengers=_challengers(bot),
        games=GAMES,
    )


@pages.form("/bots/<owner>/<name>/follow")
def follow_bot(owner: str, name: str) -> Response:
    """Let the signed-in owner follow a bot, or no longer follow it."""
    token = creating(Scope.LEAGUE)
    bot = services().accounts.bot(owner, name)
    change = services().following.follow if ticked("follow") else services().following.unfollow
    change(token.owner, bot.id)
    return to(f"/bots/{bot.full_name}")


def _is_followed(bot: Bot) -> bool | None:
    """Return whether the viewer follows a bot; `None` for those who can't."""
    reader = viewer().owner
    return None if reader in (None, bot.owner) else bot.id in services().following.bots(reader)


@pages.page("/bots/<owner>/<name>/ratings")
def list_ratings(owner: str, name: str) -> str:
    """Show a bot's ratings after each of its rated groups, the newest first."""
    bot = services().accounts.bot(owner, name)
    preset = among("preset", services().ratings.of_bot(bot.id)) or ""
    at = cursor(f"ratings {bot.id}", {"preset": preset})
    history, then = services().ratings.history(preset, bot.id, at.place, PAGE)
    return show("bot_ratings.html", bot=bot, preset=preset, history=history, next=following(at.then(then)))


def _curve(bot: Bot, preset: str | None) -> dict[str, Any] | None:
    """Return the rating curve: its last entries for the table, and all its points for the chart."""
    if preset is None:
        return None
    found, _ = services().ratings.history(preset, bot.id, None, _CURVE)
    points = [
        [
            round(past.ended / 1000),
            round(past.rating.mu, 1),
            round(past.rating.low, 1),
            round(past.rating.high, 1),
            past.rating.version or "",
        ]
        for past in reversed(found)
    ]
    return {
        "points": orjson.dumps(points).decode(),
        "by_version": services().ratings.versions(preset, bot.id),
        "history": found[:_HISTORY],
    }


Difference = tuple[float, float, float]


def _versus(bot: Bot, preset: str | None) -> tuple[str, HeadToHead | None, Difference | None] | None:
    """Return the opponent that the address names, the results against it and the difference of the ratings; `None`
    without one."""
    other = text("against", 65)
    if other is None or preset is None:
        return None
    owner, _, name = other.partition("/")
    try:
        opponent = services().accounts.bot(owner, name)
    except NoSuchBot:
        return other, None, None
    ratings = services().ratings
    counts = ratings.head_to_head(preset, bot.id, opponent.id)
    return opponent.full_name, counts, ratings.difference(preset, bot.id, opponent.id)


def _private(bot: Bot) -> dict[str, Any] | None:
    """Return the statistics and the health of a bot, for those who may see them."""
    token = viewer().token
    if token is None or bot.house or not sees_statistics(token, bot):
        return None
    past = services().statistics.of(bot.id, _DAYS)
    return {
        "figures": past.figures,
        "days": _DAYS,
        "health": services().ladders.fitness.of([bot.id])[bot.id],
        "online": bot.id in services().presence.online([bot.id]),
        "losses": services().regret.losses(bot.id)[:_LOSSES],
        "queued": _queued(bot),
        "active": [_active(each) for each in _unfinished(bot)],
    }


def _queued(bot: Bot) -> QueueEntry | None:
    entry = services().queue_store.last(bot.id)
    return entry if entry is not None and entry.state in (EntryState.WAITING, EntryState.CLAIMED) else None


def _unfinished(bot: Bot) -> list[LoadedMatch]:
    ids = services().index.mine(bot.id, None, 0).active[:_MATCHES]
    return [each for each in services().referee.look_at(ids) if each is not None and not each.finished]


def _active(loaded: LoadedMatch) -> dict[str, Any]:
    """Return what the owner of a seat may see of an unfinished match: not which one, if its group hides the names."""
    return {
        "id": loaded.id if loaded.config.group is None else None,
        "game": loaded.config.game,
        "status": loaded.progress.status.value,
        "ladder": loaded.config.ladder,
        "created": loaded.config.created,
    }


def _challengers(opponent: Bot) -> list[Bot]:
    """Return the viewer's bots that may ask for a match against this one."""
    token = viewer().token
    if token is None or viewer().owner is None:
        return []
    return [bot for bot in services().accounts.bots(token.name, None, PAGE).bots if bot.id != opponent.id]


@pages.page("/models")
def list_models() -> str:
    """Show the language models of a preset."""
    board = services().models
    presets = board.presets()
    preset = among("preset", presets) or next(iter(presets), None)
    lines = [] if preset is None else board.lines(preset)
    drawn = ends_of((line.rating.low, line.rating.high) for line in lines if line.rating)
    return show("models.html", presets=presets, preset=preset, lines=lines, drawn=drawn)
