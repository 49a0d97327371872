"""The events of a league. Every event contains only what all of its recipients may read at that moment.

The readers of the feed find out about matches, rounds and suspensions. The outbox of the matches calls them again if a
process dies, so no event gets lost. Ratings, changes of entries and the start of a round are reported before that step
is stored as done, for the same reason. The clock reports each result of a season once more. Events reach owners by
webhooks, and owners and bots by streams.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import orjson

from league.accounts.model import HOUSE
from league.ladders.model import EntryChange, EntryNews, Ladder, Round, RoundState
from league.ladders.published import ResultVersion
from league.ladders.service import Ladders
from league.notifications.account_streams import RedisEventLogStore
from league.notifications.model import EventType, LeagueEvent
from league.notifications.service import Webhooks
from records.match import views
from records.match.loaded_match import LoadedMatch
from records.match.session import Seat, Status
from records.ratings.model import Rating, shown
from records.results.group_result import GroupResult

_HOUSE: Final = f"{HOUSE}/"
_CHANGES: Final = {
    EntryChange.ENTERED: (EventType.ENTERED, "has entered"),
    EntryChange.WITHDRAWN: (EventType.WITHDRAWN, "was withdrawn from"),
    EntryChange.BANNED: (EventType.BANNED, "was banned from"),
}


class _Bot(NamedTuple):
    """A bot that an event is about."""

    name: str
    id: str

    def event(
        self, type_: EventType, subject: str, at: int, text: str, data: Mapping[str, Any]
    ) -> LeagueEvent:
        """Return an event for the bot and its owner. Its data begins with the bot."""
        owner = self.name.partition("/")[0]
        about = {"bot": self.name, "id": self.id, **data}
        return LeagueEvent(type_, subject, frozenset({owner}), at, text, about, frozenset({self.id}))


class EventReporter:
    """Reports what happens in the league to webhooks and to the logs of accounts. Safe to repeat."""

    def __init__(self, webhooks: Webhooks, logs: RedisEventLogStore, ladders: Ladders) -> None:
        self._webhooks, self._logs, self._ladders = webhooks, logs, ladders

    # 1. What happened

    def on_fed(self, matches: Sequence[LoadedMatch]) -> None:
        """Report matches that wait for their bots, and matches that have started."""
        news = [match for match in matches if _is_announced(match) and _remote_seats(match)]
        if news and self._logs.has_listeners():
            self._report([event for match in news for event in _of_announced(match)])

    def on_ended(self, matches: Sequence[LoadedMatch]) -> None:
        """Report finished matches whose groups aren't over."""
        if self._logs.has_listeners():
            self._report([event for match in matches for event in _of_over(match)])

    def on_readable(self, groups: Sequence[Sequence[LoadedMatch]]) -> None:
        """Report matches that have become readable, the rounds that they ended, and what they mean for the health of
        their bots. Call this after the other readers."""
        if not self._logs.has_listeners():
            return
        matches = [match for together in groups for match in together]
        events = [event for match in matches if (event := _of_match(match)) is not None]
        events += self._of_rounds(matches)
        events += self._of_suspensions(matches)
        self._report(events)

    def on_rated(self, preset: str, after: Sequence[tuple[GroupResult, Mapping[str, Rating]]]) -> None:
        """Report ratings that are about to be stored."""
        if not self._logs.has_listeners():
            return
        events = []
        for outcome, ratings in after:
            for player in outcome.players:
                if player.name.startswith(_HOUSE):
                    continue
                rating = shown(player.name, ratings[player.id])
                subject = f"{preset} {outcome.id} {player.id}"
                data = {"preset": preset, "group": outcome.id, **rating}
                text = (
                    f"{player.name} is rated {rating['rating']:.0f} "
                    f"({rating['low']:.0f} to {rating['high']:.0f}) in {preset}"
                    + ("" if rating["pool"] is None else ", not comparable with the anchor")
                )
                bot = _Bot(player.name, player.id)
                events.append(bot.event(EventType.RATING, subject, outcome.ended, text, data))
        self._report(events)

    def on_round_started(self, ladder: Ladder, round_: Round) -> None:
        if self._logs.has_listeners():
            text = f"Round {round_.number} of “{ladder.name}” has started: {round_.planned} matches"
            started = self._of_round(EventType.ROUND_STARTED, ladder, round_, round_.started, text)
            self._report([started, *self._of_byes(ladder, round_)])

    def on_round_failed(self, ladder: Ladder, round_: Round) -> None:
        if self._logs.has_listeners():
            text = f"Round {round_.number} of “{ladder.name}” has failed: {round_.reason}"
            at = round_.ended or round_.started
            self._report([self._of_round(EventType.ROUND_FAILED, ladder, round_, at, text)])

    def on_entries(self, ladder: Ladder, news: Sequence[EntryNews]) -> None:
        """Report changes of entries that are about to be stored."""
        if not self._logs.has_listeners():
            return
        events = []
        for entry, change, occasion, at, reason in news:
            type_, what = _CHANGES[change]
            about, why = {"bot": entry.name, "reason": reason}, f": {reason}" if reason else ""
            text = f"{entry.name} {what} “{ladder.name}”{why}"
            subject, bots = f"{ladder.id} {entry.bot} {occasion}", {entry.bot: entry.name}
            events.append(self._of_ladder(type_, ladder, subject, at, text, about, bots))
        self._report(events)

    def on_result(self, ladder: Ladder, number: int, result: ResultVersion) -> None:
        """Report a published result of a season: the end of the season, or a correction."""
        if not any(each.deals for each in result.places) or not self._logs.has_listeners():
            return
        names = " and ".join(each.name for each in result.winners)
        data: dict[str, Any] = {"season": number}
        if result.version == 1:
            type_, subject = EventType.SEASON, f"{ladder.id} {number}"
            text = f"Season {number} of “{ladder.name}” is over. Won by {names or 'nobody'}"
        else:
            type_, subject = EventType.CORRECTED, f"{ladder.id} {number} {result.version}"
            why = f"{result.action}: {result.reason}" if result.reason else result.action
            text = f"The result of season {number} of “{ladder.name}” was corrected ({why})."
            text += f" Won by {names or 'nobody yet'}"
            data |= {name: getattr(result, name) for name in ("version", "action", "reason", "complete")}
        data["winners"] = [{"bot": each.name, "id": each.bot} for each in result.winners]
        bots = {each.bot: each.name for each in result.places}
        self._report([self._of_ladder(type_, ladder, subject, result.at, text, data, bots)])

    # Inside

    def _report(self, events: Sequence[LeagueEvent]) -> None:
        if not events:
            return
        self._webhooks.report(events)
        followed = set(self._logs.followed(list({each for event in events for each in event.accounts})))
        if not followed:
            return
        self._logs.append(
            [
                (account, f"{event.type} {event.subject}", orjson.dumps(event.payload()))
                for event in events
                for account in event.accounts
                if account in followed
            ]
        )

    def _of_rounds(self, matches: Sequence[LoadedMatch]) -> list[LeagueEvent]:
        numbers = {
            (match.config.ladder, match.config.round)
            for match in matches
            if match.config.ladder is not None and match.config.round is not None
        }
        events = []
        for ladder_id, number in sorted(numbers):
            ladder = self._ladders.store.ladder(ladder_id)
            (round_,) = self._ladders.store.rounds(ladder_id, [number])
            if ladder is not None and round_ is not None and round_.state is RoundState.DONE:
                text = f"Round {round_.number} of “{ladder.name}” is over: {round_.played} matches"
                ended = round_.ended or round_.started
                events.append(self._of_round(EventType.ROUND, ladder, round_, ended, text))
        return events

    def _of_round(self, type_: EventType, ladder: Ladder, round_: Round, at: int, text: str) -> LeagueEvent:
        data = {
            "round": round_.number,
            "season": round_.season,
            "matches": round_.planned if type_ is EventType.ROUND_STARTED else round_.played,
            **({} if round_.reason is None else {"reason": round_.reason}),
        }
        bots = {entrant.id: entrant.name for entrant in round_.entrants}
        return self._of_ladder(type_, ladder, f"{ladder.id} {round_.number}", at, text, data, bots)

    def _of_ladder(
        self,
        type_: EventType,
        ladder: Ladder,
        subject: str,
        at: int,
        text: str,
        data: Mapping[str, Any],
        bots: Mapping[str, str],
    ) -> LeagueEvent:
        """Return an event of a ladder for its organisers, these bots (names by id) and their owners. All of them may
        read `data`."""
        remote = {bot: name for bot, name in bots.items() if not name.startswith(_HOUSE)}
        owners = {name.partition("/")[0] for name in remote.values()}
        owners |= {self._ladders.accounts.owner(each).name for each in (ladder.owner, *ladder.organisers)}
        about = {"ladder": ladder.id, "name": ladder.name, **data}
        return LeagueEvent(type_, subject, frozenset(owners), at, text, about, frozenset(remote))

    def _of_byes(self, ladder: Ladder, round_: Round) -> list[LeagueEvent]:
        """Only the bot itself learns of its bye, since pairings may be hidden."""
        data = {"ladder": ladder.id, "name": ladder.name, "round": round_.number, "season": round_.season}
        return [
            _Bot(each.name, each.id).event(
                EventType.BYE,
                f"{ladder.id} {round_.number} {each.id}",
                round_.started,
                f"{each.name} has a bye in round {round_.number} of “{ladder.name}”",
                data,
            )
            for each in ladder.byes(round_)
            if not each.house
        ]

    def _of_suspensions(self, matches: Sequence[LoadedMatch]) -> list[LeagueEvent]:
        names = {
            seat.id: seat.bot
            for match in matches
            if match.config.ladder is not None
            for seat in match.config.seats
            if seat is not None and not seat.house
        }
        events = []
        for bot, health in self._ladders.fitness.of(sorted(names)).items():
            if health.suspended is None:
                continue
            name, suspended = names[bot], health.suspended
            text = f"{name} is suspended from ladders: {suspended.reason}"
            subject, data = f"{bot} {suspended.at}", {"reason": suspended.reason}
            events.append(_Bot(name, bot).event(EventType.SUSPENSION, subject, suspended.at, text, data))
        return events


def _is_announced(match: LoadedMatch) -> bool:
    """Return whether a match waits for its bots or has started. An annotated match was announced long ago."""
    if match.progress.status is Status.WAITING:
        return True
    return match.progress.started is not None and not match.annotations


def _of_announced(match: LoadedMatch) -> list[LeagueEvent]:
    """Return an event for each remote bot of a match that waits or has started."""
    started = match.progress.started
    type_ = EventType.MATCH_WAITING if started is None else EventType.MATCH_STARTED
    at, what = (match.config.created, "waits for") if started is None else (started, "has started for")
    return [
        _Bot(seat.bot, seat.id).event(
            type_,
            f"{match.id} {seat.id}",
            at,
            f"A match of {match.config.game} {what} {seat.bot}: {match.id}",
            views.announced_view(match, number),
        )
        for number, seat in _remote_seats(match)
    ]


def _of_over(match: LoadedMatch) -> list[LeagueEvent]:
    """Return an event for each remote bot of a finished match whose group isn't over."""
    at = match.progress.ended or match.config.created
    return [
        _Bot(seat.bot, seat.id).event(
            EventType.MATCH_OVER,
            f"{match.id} {seat.id}",
            at,
            f"A match of {match.config.game} is over for {seat.bot}; its group is not: {match.id}",
            views.finished_view(match, number),
        )
        for number, seat in _remote_seats(match)
    ]


def _of_match(match: LoadedMatch) -> LeagueEvent | None:
    """Return the event of a readable match; `None` if only house bots and people played."""
    seats = [seat for _, seat in _remote_seats(match)]
    if not seats:
        return None
    owners = frozenset(seat.bot.partition("/")[0] for seat in seats)
    progress, summary = match.progress, views.match_summary(match)
    names = [seat.bot if seat is not None else "an open seat" for seat in match.config.seats]
    scores = ", ".join(f"{name} {score}" for name, score in zip(names, progress.scores, strict=True))
    text = f"{match.config.game}: {scores} ({progress.ending})"
    ended = progress.ended or match.config.created
    bots = frozenset(seat.id for seat in seats)
    return LeagueEvent(EventType.MATCH, match.id, owners, ended, text, summary, bots)


def _remote_seats(match: LoadedMatch) -> list[tuple[int, Seat]]:
    return [
        (number, seat)
        for number, seat in enumerate(match.config.seats)
        if seat is not None and not (seat.house or seat.person)
    ]
