"""The events of a league. Every event contains only what everybody may read at that moment.

The readers of the feed find out about matches, rounds and suspensions. The outbox of the matches calls them again if a
process dies, so no event gets lost. Ratings are reported before they are stored, for the same reason.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from league.accounts.model import HOUSE
from league.ladders.model import Ladder, Round, RoundState
from league.ladders.service import Ladders
from league.notifications.model import EventType, LeagueEvent
from league.notifications.service import Webhooks
from league.ratings.model import Rating, shown
from league.results.group_result import GroupResult
from referee.match import views
from referee.match.loaded_match import LoadedMatch

_HOUSE: Final = f"{HOUSE}/"


class EventReporter:
    """Reports what happens in the league to webhooks. Safe to repeat."""

    def __init__(self, webhooks: Webhooks, ladders: Ladders) -> None:
        self._webhooks, self._ladders = webhooks, ladders

    def on_readable(self, groups: Sequence[Sequence[LoadedMatch]]) -> None:
        """Report matches that have become readable, the rounds that they ended, and bots suspended for them. Call this
        after the other readers."""
        if not self._webhooks.store.has_webhooks():
            return
        matches = [match for together in groups for match in together]
        events = [event for match in matches if (event := _of_match(match)) is not None]
        events += self._of_rounds(matches)
        events += self._of_suspensions(matches)
        if events:
            self._webhooks.report(events)

    def on_rated(self, preset: str, after: Sequence[tuple[GroupResult, Mapping[str, Rating]]]) -> None:
        """Report ratings that are about to be stored."""
        if not self._webhooks.store.has_webhooks():
            return
        events = []
        for outcome, ratings in after:
            for player in outcome.players:
                if player.name.startswith(_HOUSE):
                    continue
                rating = shown(preset, player.name, ratings[player.id])
                subject = f"{preset} {outcome.id} {player.id}"
                data = {"bot": player.name, "id": player.id, "preset": preset, "group": outcome.id, **rating}
                text = (
                    f"{player.name} is rated {rating['rating']:.0f} "
                    f"({rating['low']:.0f} to {rating['high']:.0f}) in {preset}"
                )
                owners = frozenset({player.name.partition("/")[0]})
                events.append(LeagueEvent(EventType.RATING, subject, owners, outcome.ended, text, data))
        if events:
            self._webhooks.report(events)

    def _of_rounds(self, matches: Sequence[LoadedMatch]) -> list[LeagueEvent]:
        """Return the events of the rounds of these matches that are over."""
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
                events.append(self._of_round(ladder, round_))
        return events

    def _of_round(self, ladder: Ladder, round_: Round) -> LeagueEvent:
        owners = {entrant.name.partition("/")[0] for entrant in round_.entrants if not entrant.house}
        owners.add(self._ladders.accounts.owner(ladder.owner).name)
        data = {
            "ladder": ladder.id,
            "name": ladder.name,
            "round": round_.number,
            "season": round_.season,
            "matches": round_.played,
        }
        text = f"Round {round_.number} of “{ladder.name}” is over: {round_.played} matches"
        subject = f"{ladder.id} {round_.number}"
        ended = round_.ended or round_.started
        return LeagueEvent(EventType.ROUND, subject, frozenset(owners), ended, text, data)

    def _of_suspensions(self, matches: Sequence[LoadedMatch]) -> list[LeagueEvent]:
        """Return the events of the bots in these ladder matches that are suspended."""
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
            data = {"bot": name, "id": bot, "reason": suspended.reason}
            text = f"{name} is suspended from ladders: {suspended.reason}"
            owners = frozenset({name.partition("/")[0]})
            subject = f"{bot} {suspended.at}"
            events.append(LeagueEvent(EventType.SUSPENSION, subject, owners, suspended.at, text, data))
        return events


def _of_match(match: LoadedMatch) -> LeagueEvent | None:
    """Return the event of a readable match; `None` if only house bots and people played."""
    owners = _remote_owners(match)
    if not owners:
        return None
    progress, summary = match.progress, views.match_summary(match)
    names = [seat.bot if seat is not None else "an open seat" for seat in match.config.seats]
    scores = ", ".join(f"{name} {score}" for name, score in zip(names, progress.scores, strict=True))
    text = f"{match.config.game}: {scores} ({progress.ending})"
    ended = progress.ended or match.config.created
    return LeagueEvent(EventType.MATCH, match.id, owners, ended, text, summary)


def _remote_owners(match: LoadedMatch) -> frozenset[str]:
    return frozenset(
        seat.bot.partition("/")[0]
        for seat in match.config.seats
        if seat is not None and not (seat.house or seat.person)
    )
