"""The language of a reader. Numbers, instants and messages are those of Babel, which the tests alone install."""

from __future__ import annotations

import io
import re
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from babel import Locale
from babel.dates import format_date, format_datetime
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.numbers import format_decimal
from babel.support import Translations
from hypothesis import example, given
from hypothesis import strategies as st
from werkzeug.datastructures import LanguageAccept
from werkzeug.http import parse_accept_header

from league.ladders.schedule import Schedule
from records.page.words import WORDS, TableText
from web.languages import chosen, languages
from web.templating import DAYS, in_words

ROOT = Path(__file__).resolve().parents[2]
CATALOGUES = [path for folder in ("records/page", "web") for path in (ROOT / folder).glob("locale/ru/*.po")]
BABEL = {"en": Locale("en", "GB"), "ru": Locale("ru")}

codes = pytest.mark.parametrize("code", BABEL)


@codes
@given(value=st.floats(-1e12, 1e12) | st.integers(-(10**12), 10**12), decimals=st.integers(0, 3))
@example(value=2.675, decimals=2)
@example(value=-0.001, decimals=2)
@example(value=1234567, decimals=0)
def test_a_number_is_written_as_in_the_language(code: str, value: float, decimals: int) -> None:
    digits = "." + "0" * decimals if decimals else ""
    expected = format_decimal(value, f"#,##0{digits}", BABEL[code]).replace("-", "−")
    assert languages()[code].number(value, decimals) == expected


@codes
@given(instant=st.integers(0, 7_000_000_000))
def test_an_instant_and_a_month_are_written_as_in_the_language(code: str, instant: int) -> None:
    language, moment = languages()[code], datetime.fromtimestamp(instant, UTC)
    expected = format_datetime(moment, "d MMM yyyy, HH:mm", locale=BABEL[code])
    assert language.instant(instant * 1000) == f"{expected} UTC"
    month = date(moment.year, moment.month, 1)
    assert language.month(f"{month:%Y-%m}") == format_date(month, "LLLL yyyy", locale=BABEL[code])


@pytest.mark.parametrize(
    ("accepted", "code"),
    [("en-GB, ru;q=0.5", "en"), ("ru-RU, en;q=0.9", "ru"), ("fr, ru;q=0.2", "ru"), ("", "en")],
)
def test_a_browser_gets_the_language_that_it_prefers(accepted: str, code: str) -> None:
    assert chosen(None, None, parse_accept_header(accepted, LanguageAccept)).code == code


def test_every_message_of_every_catalogue_is_translated_as_by_gettext() -> None:
    assert len(CATALOGUES) > 3
    ours = languages()["ru"].messages
    for path in CATALOGUES:
        compiled = io.BytesIO()
        catalogue = read_po(path.open("rb"), locale="ru")
        write_mo(compiled, catalogue)
        compiled.seek(0)
        theirs = Translations(compiled)
        for message in filter(lambda each: each.id, catalogue):
            if isinstance(message.id, tuple | list):
                for count in range(130):
                    assert ours.ngettext(*message.id, count) == theirs.ngettext(*message.id, count)
            elif message.context:
                assert ours.pgettext(message.context, message.id) == theirs.pgettext(
                    message.context, message.id
                )
            else:
                assert ours.gettext(message.id) == theirs.gettext(message.id)


@codes
@pytest.mark.parametrize(
    ("cron", "english", "russian"),
    [
        ("* * * * *", "each minute", "каждую минуту"),
        ("5 * * * *", "each hour at :05 UTC", "каждый час в :05 UTC"),
        ("@daily", "each day at 00:00 UTC", "каждый день в 00:00 UTC"),
        ("0 18 * * 1-5", "each working day at 18:00 UTC", "каждый рабочий день в 18:00 UTC"),
        ("30 9 * * WED", "each Wednesday at 09:30 UTC", "каждую среду в 09:30 UTC"),
        ("0 12 * * 7", "each Sunday at 12:00 UTC", "каждое воскресенье в 12:00 UTC"),
        ("5 * * * 1", None, None),
        ("0 12 1 * *", None, None),
        ("*/7 * * * *", None, None),
    ],
)
def test_a_common_schedule_is_said_in_words(code: str, cron: str, english: str, russian: str) -> None:
    expected = {"en": english, "ru": russian}[code]
    assert in_words(Schedule(cron, "UTC"), languages()[code].messages.gettext) == expected


def test_every_day_of_a_schedule_has_russian_words() -> None:
    assert all(languages()["ru"].messages.gettext(day) != day for day in DAYS.values())


ACTORS = ("seat", "attacker", "giver", "dealer")
ACTED = [
    (kind, actor)
    for kind in re.findall(r"^event (\w+)$", "\n".join(WORDS), re.MULTILINE)
    for actor in ACTORS
    if f"{{{actor}}}" in WORDS[f"event {kind}"]
]


@codes
@pytest.mark.parametrize(("kind", "actor"), ACTED)
def test_an_event_of_the_reader_is_told_to_the_reader(code: str, kind: str, actor: str) -> None:
    text = TableText(languages()[code], ("ann/first", "bob/second"), you=0)
    event = {"type": kind, **dict.fromkeys(re.findall(r"\{(\w+)\}", WORDS[f"event {kind}"]), 1)}
    assert "second" in text.event(event)
    named = TableText(languages()[code], (text.words["you"], "bob/second"))
    assert text.event({**event, actor: 0}) != named.event({**event, actor: 0})
