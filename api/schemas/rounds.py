"""Rounds of ladders."""

from __future__ import annotations

from typing import Final

from api.schemas.common import (
    Json,
    PageQuery,
    instant,
    listed,
    maybe,
    nullable,
    obj,
    page_of,
    ref,
    text,
    whole,
)
from league.ladders.model import Round, RoundState
from league.rounds import DryRun
from league.rounds.ahead import MOST_LOOKED_AT, TablesRemaining
from referee.instants import text_of

MOST_SHOWN: Final = 1000
"""Meetings of a round that a dry run shows."""


class RoundsQuery(PageQuery):
    """Which page of the rounds."""


def round_view(round_: Round, jobs_ahead: int | None, *, hidden: bool) -> Json:
    """A round and how far it is; `hidden`: without those who play it."""
    return {
        "ladder": round_.ladder,
        "number": round_.number,
        "season": round_.season,
        "state": round_.state,
        "reason": round_.reason,
        "due": maybe(round_.due),
        "started": text_of(round_.started),
        "ended": maybe(round_.ended),
        "bots": None if hidden else [entrant.name for entrant in round_.entrants],
        "repeats": round_.repeats,
        "excluded": round_.excluded,
        "planned": round_.planned,
        "handled": round_.made,
        "remaining": round_.planned - round_.made,
        "finished": round_.over,
        "played": round_.played,
        "aborted": round_.aborted,
        "dropped": round_.dropped,
        "jobs_ahead": jobs_ahead,
    }


def tables_view(left: TablesRemaining) -> Json:
    """What a bot has left in a round."""
    return {"bot": left.bot, "remaining": left.remaining, "tables_ahead": left.before}


def next_round_view(next_: DryRun, *, shown: bool) -> Json:
    """What the next round would be; who would meet if that is to be `shown`."""
    return {
        "number": next_.number,
        "meetings": [[entrant.name for entrant in each] for each in next_.meetings[:MOST_SHOWN]]
        if shown
        else None,
        "sitting_out": [entrant.name for entrant in next_.out] if shown else None,
        "excluded": next_.excluded,
        "planned": next_.planned,
    }


COMPONENTS: Final[dict[str, Json]] = {
    "Round": obj(
        {
            "ladder": text("The ladder's id"),
            "number": whole("From 1", 1),
            "season": whole("The season in which it was opened, and counts", 1),
            "state": text(
                "running: it is played; done: all its matches are over; failed: it could not be played as planned; "
                "matches made before are played out and count, others are not made",
                enum=[state.value for state in RoundState],
            ),
            "reason": nullable(text("Why it failed; null unless it did")),
            "due": nullable(instant("When the schedule wanted it; null: it was started by hand")),
            "started": instant("When it was started"),
            "ended": nullable(instant("When its last match was over, or it failed")),
            "bots": nullable(
                listed(
                    {"type": "string"},
                    "The entrants, as `owner/bot`; null for an arena's round, under way or failed, whose groups hide "
                    "who plays",
                )
            ),
            "repeats": whole("How often each set of entrants meets", 1),
            "excluded": whole("Sets that make no table, because one owner has two of their bots"),
            "planned": whole("Its matches"),
            "handled": whole("Matches created or dropped so far"),
            "remaining": whole("Matches still to be created"),
            "finished": whole("Matches handled that are over"),
            "played": whole("Of these, matches that count"),
            "aborted": whole("Of these, matches that were aborted"),
            "dropped": whole("Of these, matches not played because a bot was no longer available"),
            "jobs_ahead": nullable(
                whole(
                    "How many jobs come before the one that works on it; null: none waits, since a worker has it, its "
                    "bots have no room for more matches, or it is done"
                )
            ),
            "own_bots": listed(
                ref("TablesRemaining"),
                "Where a token is sent to the round's own address, while it is under way and has at most "
                f"{MOST_LOOKED_AT} matches: what it has left for the token's bots",
            ),
        },
        optional=("own_bots",),
    ),
    "TablesRemaining": obj(
        {
            "bot": text("`owner/bot`"),
            "remaining": whole("Its matches not yet handled"),
            "tables_ahead": nullable(
                whole("The number of unhandled matches before the first of these; null: it has none")
            ),
        }
    ),
    "NextRound": obj(
        {
            "number": whole("The number that it would have", 1),
            "meetings": nullable(
                listed(
                    listed({"type": "string"}, "As `owner/bot`, in circular order"),
                    f"Who would play a group, or where decks are independent a match; the first {MOST_SHOWN}. Null "
                    "where names at tables are hidden and not everybody meets everybody, but for the ladder's owner",
                )
            ),
            "sitting_out": nullable(
                listed({"type": "string"}, "Who would sit out, as `owner/bot`; null likewise")
            ),
            "excluded": whole(
                "Sets of entrants, or entrants, that are left out because of rivals of one owner"
            ),
            "planned": whole("The matches that it would have", 1),
        }
    ),
    "RoundPage": page_of("Round", "rounds", "Newest first"),
}
