"""How a match ended: who won, who is the fool, and the places, on the pages of the match and of its player."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pytest

from engine.registry import GAMES
from records.match.session import places
from records.page.outcome import Outcome
from records.page.words import TableText
from tests.api.conftest import ApiWorld
from tests.web.conftest import LANGUAGES, Visitor
from tests.web.test_match import a_match, play
from web.languages import languages

NAMES = ("ann/careful", "bob/first", "cid/quick", "dan/slow")


def outcome(
    scores: Sequence[int],
    *,
    forfeits: Sequence[int] = (),
    deals: int = 1,
    sides: Sequence[int] | None = None,
    language: str = "en",
    you: int | None = None,
    **more: Any,
) -> Outcome:
    summary = {
        "ending": "rules",
        "void": False,
        "scores": scores,
        "places": places(scores, forfeits),
        "forfeits": forfeits,
        "deals": deals,
        **more,
    }
    text = TableText(languages()[language], NAMES[: len(scores)])
    return Outcome(text, summary, range(len(scores)) if sides is None else sides, you=you)


@pytest.mark.parametrize(
    ("ended", "sentence"),
    [
        (outcome([0, -1]), "careful wins; first is the fool"),
        (outcome([0, -1], you=0), "You win; first is the fool"),
        (outcome([0, -1], you=1), "careful wins; you are the fool"),
        (outcome([0, 0]), "A draw: nobody is the fool"),
        (outcome([0, -1, 0]), "first is the fool"),
        (outcome([0, -1, 0, -1], sides=[0, 1, 0, 1]), "careful and quick win; first and slow are the fools"),
        (outcome([-3, -1], deals=10), "first wins"),
        (outcome([-3, -1, -1], deals=10), "first and quick share first place"),
        (outcome([-3, -3], deals=10), "A draw"),
        (outcome([40, -10, 5, 5], deals=12), "careful wins"),
        (outcome([0, -1], forfeits=[1]), "careful wins; first forfeited the seat"),
        (outcome([0, -1], forfeits=[1], you=1), "careful wins; you forfeited your seat"),
        (outcome([0, 0], ending="aborted"), "The match was aborted and has no result"),
        (outcome([0, -1], void=True), "The match is void and does not count"),
        (outcome([0, -1], language="ru"), "Победа: careful; в дураках: first"),
        (outcome([0, -1], you=1, language="ru"), "Победа: careful; вы в дураках"),
        (
            outcome([0, -1, 0, -1], sides=[0, 1, 0, 1], language="ru"),
            "Победа: careful и quick; в дураках: first и slow",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_sentence_says_who_won_and_who_lost(ended: Outcome, sentence: str) -> None:
    assert ended.sentence() == sentence


def test_lines_follow_the_places() -> None:
    assert [(line.place, line.name, line.points) for line in outcome([-3, -1, -1], deals=10).lines()] == [
        (1, "first", -1),
        (1, "quick", -1),
        (3, "careful", -3),
    ]


@pytest.mark.parametrize("more", [{"ending": "aborted"}, {"void": True}])
def test_a_match_without_a_result_has_no_places(more: dict[str, Any]) -> None:
    assert outcome([0, 0], **more).lines() == []


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", list(GAMES))
def test_the_page_of_a_finished_match_begins_with_its_result(
    world: ApiWorld, visitor: Visitor, game: str, language: str
) -> None:
    visitor.language = language
    bot, match = a_match(world, game)
    assert "kt-result" not in visitor.page(f"/matches/{match}")
    play(bot, match)
    page = visitor.page(f"/matches/{match}")
    summary = bot("GET", f"/v1/matches/{match}").json
    first = page.index("kt-result")
    assert ("kt-sheet" in page) == (game == "king"), "a match of one deal has no score sheet"
    assert first < page.index("<kozyr-table")
    lines = re.findall(r"<td>(\d+)</td><th scope=\"row\"><bdi>", page)
    assert list(map(int, lines)) == sorted(summary["places"])
    assert 'property="og:description"' in page


def sheet_on(page: str) -> tuple[str, list[list[int]]]:
    """Return the score sheet on a page, and the points of its lines; none for a deal that is not over."""
    sheet = page[page.index("kt-sheet") : page.index("</details>", page.index("kt-sheet"))]
    rows = [re.findall(r'<td class="n">([^<]+)</td>', row) for row in sheet.split("<tr")[2:]]
    return sheet, [[int(each.replace("−", "-")) for each in row] for row in rows]


def test_a_score_sheet_lists_the_points_of_the_deals_of_king(world: ApiWorld, visitor: Visitor) -> None:
    bot, match = a_match(world, "king")
    while (view := bot("GET", f"/v1/matches/{match}").json)["deal"] < 3:
        play(bot, match, 1)
    sheet, points = sheet_on(visitor.page(f"/matches/{match}"))
    assert [len(each) for each in points] == [4] * 2 + [0] * 10 + [4]
    assert list(map(sum, zip(*points[:2], strict=True))) == points[12] == view["scores"]
    assert all(contract in sheet for contract in ("No tricks", "Positive yeralash"))
    play(bot, match, 2000)
    _, points = sheet_on(visitor.page(f"/matches/{match}"))
    scores = bot("GET", f"/v1/matches/{match}").json["scores"]
    assert list(map(sum, zip(*points[:12], strict=True))) == points[12] == scores
