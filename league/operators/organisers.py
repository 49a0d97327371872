"""What organisers do to their ladders and to the entries of others. Each action has an entry in the ladder's audit log.

Callers check first that the ladder is the caller's own (`league.permissions`), unless an admin acts. A new action of
organisers is a method here: it runs inside `Audit.act` with the id of the ladder.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from league.accounts.model import Bot
from league.ladders.model import AccessRule, AccessVerdict, Ladder, LadderEntry, Season
from league.ladders.published import PublishedResults
from league.ladders.seasons import Seasons
from league.ladders.service import Ladders
from league.operators.audit import CLOCK, Audit, AuditActor
from records.instants import text_of

_RULES: Final[Mapping[AccessVerdict | None, str]] = {
    AccessVerdict.INVITED: "invite_to_ladder",
    AccessVerdict.BANNED: "ban",
    None: "remove_rule",
}


class CorrectionAction(enum.StrEnum):
    """What an organiser corrects in the result of a season."""

    DISQUALIFY = "disqualify"
    """The bot has no place."""
    REINSTATE = "reinstate"
    """The bot has a place again."""
    DECIDE = "decide"
    """The bot goes on from its undecided meeting of a bracket that plays no further round."""


class Organisers:
    """Actions of organisers. Safe to share between greenlets and threads."""

    def __init__(
        self,
        audit: Audit,
        ladders: Ladders,
        seasons: Seasons,
        published: PublishedResults,
        publish: Callable[[str], None],
    ) -> None:
        """`publish` publishes the results that a freeze of a ladder withheld."""
        self._audit, self._ladders, self._seasons = audit, ladders, seasons
        self._published, self._publish = published, publish

    def change(
        self,
        by: AuditActor,
        ladder_id: str,
        changes: Mapping[str, Any] | None = None,
        *,
        organisers: Mapping[str, str] | None = None,
        state: str | None = None,
        reason: str = "",
    ) -> Ladder:
        """Change the settings, the co-organisers (names by id) and the state of a ladder. Raise what `Ladders.change`
        raises."""
        given = {"organisers": organisers, "state": state}
        names = [*(changes or {}), *(name for name, value in given.items() if value is not None)]
        ladder, known = self._ladders.get(ladder_id), dict(organisers or {})
        if organisers is not None:
            known |= {each: self._ladders.accounts.owner(each).name for each in ladder.organisers}
        before = _shown(ladder, names, known)
        what = "ladder_state" if names == ["state"] else "change"
        # More rounds, or more groups, may be left to play.
        seasons = [ladder.season] if "parameters" in names else []
        with (
            self._audit.act(by, what, f"ladder {ladder_id}", reason, before, ladder=ladder_id) as action,
            self._published.correction(ladder_id, seasons, what, by.owner, reason),
        ):
            ladder = self._ladders.change(ladder_id, changes, organisers=organisers, state=state)
            action.after = _shown(ladder, names, known)
        return ladder

    def freeze(self, by: AuditActor, ladder_id: str, at: int | None) -> Ladder:
        """Withhold the results of a ladder from an instant on. Raise what `Ladders.freeze` raises."""
        with self._audit.act(by, "freeze", f"ladder {ladder_id}", "", ladder=ladder_id) as action:
            ladder = self._ladders.freeze(ladder_id, at)
            action.after = _freeze(ladder)
        return ladder

    def release(self, by: AuditActor, ladder_id: str) -> Ladder:
        """End a freeze and publish what it withheld. Raise `NoSuchLadder`."""
        before = _freeze(self._ladders.get(ladder_id))
        with self._audit.act(by, "release", f"ladder {ladder_id}", "", before, ladder=ladder_id):
            ladder = self._ladders.unfreeze(ladder_id)
            self._publish(ladder_id)
        return ladder

    def set_rules(
        self,
        by: AuditActor,
        ladder_id: str,
        names: Sequence[str],
        verdict: AccessVerdict | None,
        reason: str = "",
    ) -> Sequence[AccessRule]:
        """Invite or ban owners and bots, or remove their rules. Raise what `Ladders.set_rules` raises."""
        about, what = {"names": list(names)}, _RULES[verdict]
        present = self._ladders.get(ladder_id).season
        seasons = [number for number in (present - 1, present) if number]
        with (
            self._audit.act(by, what, f"ladder {ladder_id}", reason, about, ladder=ladder_id),
            self._published.correction(ladder_id, seasons, what, by.owner, reason),
        ):
            return self._ladders.set_rules(ladder_id, names, verdict, reason)

    def correct(
        self,
        by: AuditActor,
        ladder_id: str,
        action: CorrectionAction,
        bot: Bot,
        season: int | None,
        reason: str,
    ) -> None:
        """Correct the result of a season. Raise `BadValue`, `EntryRefused`, `NoSuchSeason` or `NoSuchLadder`."""
        ladder, number = self._ladders.in_season(ladder_id, season)
        about = {"bot": bot.full_name, "season": number}
        with (
            self._audit.act(by, action.value, f"ladder {ladder.id}", reason, about, ladder=ladder.id),
            self._published.correction(ladder.id, [number], action.value, by.owner, reason),
        ):
            if action is CorrectionAction.DECIDE:
                self._published.decide(ladder.id, number, bot)
            else:
                disqualifies = action is CorrectionAction.DISQUALIFY
                self._ladders.disqualify(ladder.id, bot, number, reason if disqualifies else None)

    def withdraw(self, by: AuditActor, ladder_id: str, bot: Bot, reason: str = "") -> LadderEntry:
        """Withdraw a bot of another owner from a ladder. Raise what `Ladders.withdraw` raises."""
        about, ladder = {"bot": bot.full_name}, self._ladders.get(ladder_id).id
        with self._audit.act(by, "withdraw", f"ladder {ladder}", reason, about, ladder=ladder):
            return self._ladders.withdraw(ladder, bot.id, reason)

    def end_season(self, by: AuditActor, ladder_id: str) -> Season:
        """End the current season of a ladder and return the next. Raise what `Seasons.end` raises."""
        before = {"season": self._ladders.get(ladder_id).season}
        with self._audit.act(by, "end_season", f"ladder {ladder_id}", "", before, ladder=ladder_id) as action:
            season = self._seasons.end(ladder_id)
            action.after = {"season": season.number}
        return season

    def note_end_of_season(self, ladder_id: str, number: int) -> None:
        """Note that the schedule has ended a season."""
        before = {"season": number}
        with self._audit.act(
            CLOCK, "end_season", f"ladder {ladder_id}", "", before, ladder=ladder_id
        ) as action:
            action.after = {"season": number + 1}


def _freeze(ladder: Ladder) -> dict[str, Any]:
    return {"freeze": None if ladder.freeze is None else text_of(ladder.freeze)}


def _shown(ladder: Ladder, names: Sequence[str], known: Mapping[str, str]) -> dict[str, Any]:
    """Return these fields of a ladder as its audit log shows them. `known` has the names of owners by id."""
    found = ladder.to_json()
    found["organisers"] = [known.get(each, each) for each in ladder.organisers]
    return {name: found[name] for name in names}
