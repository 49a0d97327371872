"""Why a request was refused and what to do, for languages whose pages can't show the API's English detail, and for
people who play: the API's titles and details are for the authors of bots.

The key is the problem's code, alone or followed by its `reason` or `field`. A refusal without an explanation keeps its
detail.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from league.friends.model import TableRefusal
from web.services import ErrorPage

if TYPE_CHECKING:
    from records.page.language import Language

EXPLANATIONS: Final[Mapping[str, str]] = MappingProxyType(
    {
        # The request
        "bad_request": "A field is missing, too long, or has a value that is not allowed.",
        "not_found": "Check the address.",
        "form_refused": "Load the page again and send the form once more.",
        "rate_limited": "Try again in {retry_s} s.",
        # Signing up and in, bots and tokens
        "token_invalid": "This is no valid token of an owner. Check that you have copied all of it.",
        "scope_missing": "Your token lacks the scope {scope}. Sign in with another one.",
        "name_taken": "Choose another name.",
        "bad_invitation": "The code is missing, unknown, used or expired. Ask the operator for an invitation.",
        "bad_value name": "Names of owners and bots have 2 to 32 characters: a–z, 0–9 and -, and begin with no -. "
        "Names of ladders have 1 to 100 characters.",
        "bad_value version": "A version has 1 to 64 characters and is not blank.",
        "bad_value description": "A description has at most 500 characters.",
        "bad_value note": "A note has at most 200 characters.",
        "bad_value tokens": "There are too many valid tokens. Revoke some first.",
        "no_such_bot": "Check how the name is written: owner/bot.",
        "no_such_owner": "Check how the name is written.",
        "no_such_token": "It was revoked or has expired.",
        "not_your_bot": "Sign in as its owner.",
        "not_your_token": "Sign in as its owner.",
        # Ladders
        "no_such_ladder": "Check the address.",
        "not_your_ladder": "Sign in as its owner.",
        "bad_value schedule.cron": "Five fields are expected: minute, hour, day of the month, month, day of the week.",
        "bad_value season_schedule.cron": "Five fields are expected: minute, hour, day of the month, month, day of "
        "the week.",
        "bad_value schedule.timezone": "Choose a time zone of the list.",
        "bad_value season_schedule.timezone": "Choose a time zone of the list.",
        "wrong_ladder_state": "Load the page again: it shows what the ladder's present state allows.",
        "round_running": "Round {round} is under way. The next can start when it has ended.",
        "nothing_to_play": "Too few entries can play with each other, or the tournament of this season is over.",
        "season_empty": "A season without a round can't end.",
        "entry_refused disabled": "The bot is disabled.",
        "entry_refused game": "The bot does not play this game.",
        "entry_refused clock": "The bot does not accept so short a clock.",
        "entry_refused kind": "The bot does not accept matches of ladders.",
        "entry_refused owner": "The bot does not accept the owners of the other bots.",
        "entry_refused suspended": "The bot is suspended. Passing a conformance check ends the suspension.",
        "entry_refused unchecked": "This ladder takes only bots that have passed a conformance check.",
        "entry_refused full": "The ladder is full.",
        "entry_refused same_owner": "All entries of this ladder share one table, and another bot of the same owner "
        "is there.",
        "entry_refused banned": "The owner of the ladder has banned the bot or its owner. {why}",
        "entry_refused closed": "Only the owner of the ladder enters bots.",
        "entry_refused not_invited": "Only invited bots can enter. The owner of the ladder can invite yours.",
        "entry_refused not_entered": "The bot is not in this ladder.",
        # Matches
        "no_such_match": "Check the address.",
        "not_your_match": "Perhaps another browser began this match.",
        "bot_unavailable busy": "Too many matches at the same time. End one of them first.",
        "bot_unavailable": "Choose another opponent.",
        "bad_table": "Choose other options.",
        "bad_table move": "The match has no such position, or it is too late for a guest.",
        "illegal_move": "Choose one of the legal moves.",
        "not_a_move": "Choose one of the legal moves.",
        "free_move_with_turn": "Choose one of the legal moves.",
        "stale_turn": "The match has gone on. Look at the table and choose again.",
        "not_your_turn": "Wait for your turn.",
        "match_over": "No further move counts.",
        "record_not_ready": "Wait for the end of the match.",
        "group_running": "Wait for the end of all matches of the group.",
        "too_many_reviews": "Wait until some reviews are done.",
        "too_many_house_matches": "{waiting} of your matches wait for house bots. Wait until some have been played.",
        **{f"table_refused {each.name}": each.value for each in TableRefusal},
        # The service
        "events_not_ready": "Try again in a moment.",
        "busy": "Try again in a moment.",
        "overtaken": "Try again in a moment.",
        "service_paused": "Try again later.",
        "service_draining": "Try again later.",
        "storage_full": "Try again later.",
        "store_unavailable": "It is unknown whether the request took effect. Try again in a moment.",
        "internal_error": "If it happens again, send the number below to the operator.",
    }
)
"""The explanations in English; the catalogues translate them. Their places are members of the problem."""


PLAYER_TITLES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "bot_unavailable busy": "You can't play more matches at a time",
        "bot_unavailable": "This opponent can't play now",
        "not_your_match": "You have no seat in this match",
        "stale_turn": "The match has gone on",
        "not_your_turn": "It is another player's turn",
        "not_a_move": "This move is not possible now",
        "free_move_with_turn": "This move is not possible now",
        "illegal_move": "This move is not possible now",
        "too_many_house_matches": "Too many of your matches wait for their opponents",
    }
)
"""The titles of refusals for people who play, in English; the catalogues translate them."""


def for_player(refusal: ErrorPage, language: Language) -> ErrorPage:
    """Return a refusal as somebody reads it who plays: without the API's words for the authors of bots."""
    title = next((PLAYER_TITLES[key] for key in _keys(refusal) if key in PLAYER_TITLES), refusal.title)
    return _explained(refusal._replace(title=title), language)


def in_language(refusal: ErrorPage, language: Language) -> ErrorPage:
    """Return a refusal with an explanation in this language in place of the detail, if there is one."""
    return refusal if language.code == refusal.language else _explained(refusal, language)


def _explained(refusal: ErrorPage, language: Language) -> ErrorPage:
    text = next((EXPLANATIONS[key] for key in _keys(refusal) if key in EXPLANATIONS), None)
    if text is None:
        return refusal
    values = {**refusal.details, "retry_s": refusal.retry_s}
    try:
        explained = language.messages.gettext(text).format_map(values).strip()
    except KeyError:  # the problem lacks a member that the explanation names
        return refusal
    return refusal._replace(detail=explained, language=language.code)


def _keys(refusal: ErrorPage) -> Iterator[str]:
    for member in ("reason", "field"):
        if member in refusal.details:
            yield f"{refusal.code} {refusal.details[member]}"
    yield refusal.code
