"""Refusals on pages in another language than English."""

from __future__ import annotations

import re

import pytest

from api.problems import KINDS
from league.accounts.model import IneligibleReason
from league.errors import EntryReason
from league.friends.model import TableRefusal
from tests.api.conftest import ApiWorld
from tests.web.conftest import LANGUAGES, Visitor
from tests.web.test_join import new_ladder, with_bot
from web.errors import PageError
from web.explanations import EXPLANATIONS, PLAYER_TITLES, for_player, in_language
from web.languages import languages
from web.services import ErrorPage

PLACES = re.compile(r"\{\w*\}")


def test_every_explanation_has_a_code_and_a_russian_translation_with_its_places() -> None:
    russian = languages()["ru"].messages
    codes = {*KINDS, *(error.code for error in PageError.__subclasses__())}
    assert {key.partition(" ")[0] for key in EXPLANATIONS} <= codes
    assert {key.partition(" ")[0] for key in PLAYER_TITLES} <= set(KINDS)
    for text in (*EXPLANATIONS.values(), *PLAYER_TITLES.values()):
        translated = russian.gettext(text)
        assert translated != text
        assert PLACES.findall(translated) == PLACES.findall(text)


FOR_BOTS = re.compile(r"\b([Bb]ots?|turn \d+|maximum of matches|deal, not)\b|\bбот")
OF_PLAY: list[tuple[str, dict[str, str]]] = [
    ("bot_unavailable", {"reason": "busy", "bot": "guest/guest"}),
    ("bot_unavailable", {"reason": "disabled"}),
    ("bad_table", {"field": "opponents"}),
    ("bad_table", {"field": "move"}),
    *(
        (code, dict[str, str]())
        for code in (
            *("not_your_match", "no_such_match", "stale_turn", "not_your_turn", "not_a_move", "illegal_move"),
            *("free_move_with_turn", "match_over", "bad_request", "rate_limited", "record_not_ready"),
            *("group_running", "service_paused", "service_draining", "storage_full", "store_unavailable"),
            "form_refused",
        )
    ),
    *(("table_refused", {"reason": reason.name}) for reason in TableRefusal),
]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("code", "details"), OF_PLAY)
def test_people_who_play_never_read_words_for_bots(code: str, details: dict[str, str], language: str) -> None:
    own = {error.code: error.title for error in PageError.__subclasses__()}
    title = KINDS[code].title if code in KINDS else own[code]
    detail = "guest/guest already plays its maximum of matches (3)"
    told = for_player(ErrorPage(409, code, title, detail, 5, details), languages()[language])
    translated = languages()[language].messages.gettext
    assert not FOR_BOTS.search(f"{translated(told.title)} {told.detail}")


def test_every_reason_of_a_bot_not_to_be_in_a_ladder_is_explained() -> None:
    of_challenges = {IneligibleReason.BUSY, IneligibleReason.ASSIST}
    reasons = {*IneligibleReason, *EntryReason} - of_challenges
    assert {f"entry_refused {reason}" for reason in reasons} <= set(EXPLANATIONS)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_refusal_is_explained_in_the_language_of_the_page(world: ApiWorld, language: str) -> None:
    visitor = Visitor(world.app.test_client(), language)
    taken = visitor.send("/sign-up", "/sign-up", {"name": "house"}).text
    wrong = visitor.send("/sign-up", "/sign-up", {"name": "A"}).text
    token = visitor.send("/sign-in", "/sign-in", {"token": "none"}).text
    found = {
        "en": ("is reserved", "2 to 32 of", "no valid token"),
        "ru": ("другое имя", "от 2 до 32", "токен владельца"),
    }
    for page, text in zip((taken, wrong, token), found[language], strict=True):
        assert text in page
        assert f'<p lang="{language}" dir="auto">' in page
    assert ('lang="en"' in taken + wrong + token) == (language == "en")


def test_a_refused_entry_is_explained_by_its_reason(world: ApiWorld) -> None:
    organiser, _ = with_bot(world)
    visitor, _ = with_bot(world, "boris")
    ladder = new_ladder(organiser)
    visitor.language = "ru"
    manage = f"/ladders/{ladder}/manage"
    sent = organiser.send(manage, f"/ladders/{ladder}/access", {"access": "nobody"})
    assert "access: " in sent.text, "a refusal without an explanation keeps its detail"
    organiser.send(manage, f"/ladders/{ladder}/access", {"access": "invitation"})
    enter = f"/ladders/{ladder}/enter"
    refused = visitor.send("/me", enter, {"bot": "boris/fool"})
    assert refused.status_code == 409
    assert "приглашённых ботов" in refused.text
    rule = {"rule": "banned", "names": "boris", "reason": "сговор <1>"}
    organiser.send(manage, f"/ladders/{ladder}/rules", rule)
    assert "сговор &lt;1&gt;" in visitor.send("/me", enter, {"bot": "boris/fool"}).text


@pytest.mark.parametrize(
    ("refusal", "shown"),
    [
        (ErrorPage(429, "rate_limited", "", "try again", 7), "Попробуйте снова через 7 с."),
        (ErrorPage(409, "round_running", "", "round 3 runs", details={"round": 3}), "Идёт тур 3."),
        (ErrorPage(409, "round_running", "", "a round runs"), "a round runs"),
    ],
)
def test_places_are_filled_with_what_the_problem_says(refusal: ErrorPage, shown: str) -> None:
    assert in_language(refusal, languages()["ru"]).detail.startswith(shown)
    assert in_language(refusal, languages()["en"]) == refusal
