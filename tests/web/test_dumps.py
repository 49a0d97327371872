"""The page of monthly dumps: months, files, sizes, checksums, and how to load them."""

from __future__ import annotations

import pytest

from redisio.connection import Redis
from referee.dumps.redis import RedisDumps
from referee.dumps.store import Dump, DumpFile, FileKind
from tests.web.conftest import LANGUAGES, Elements, Visitor
from tests.web.test_pages import well_formed


def publish(redis_url: str, month: str, *, parts: int = 1, late: int = 0) -> Dump:
    """Publish a dump whose tables of decisions are in several parts. Its files are not stored."""
    names = [
        (FileKind.RECORDS, f"records-{month}.ndjson.zst"),
        (FileKind.MATCHES, f"matches-{month}.parquet"),
        *((FileKind.DECISIONS, f"decisions-{month}-{number:04d}.parquet") for number in range(parts)),
        (FileKind.CARD, "README.md"),
        (FileKind.SUMS, "SHA256SUMS"),
    ]
    texts = (FileKind.CARD, FileKind.SUMS)
    files = tuple(
        DumpFile(
            name, name, kind, 300 << (9 * number % 40), f"{number:064x}", None if kind in texts else 1_000
        )
        for number, (kind, name) in enumerate(names)
    )
    made = Dump(month, 1_790_000_000_000, 1_234, 56_789, late, files)
    redis = Redis(redis_url)
    register = RedisDumps(redis)
    before = register.state()
    assert register.replace(before, before._replace(version=before.version + 1, month=month), made)
    redis.close()
    return made


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_service_without_dumps_says_so(visitor: Visitor, language: str) -> None:
    visitor.language = language
    page = visitor.page("/dumps")
    well_formed(page, language)
    assert {"en": "There is no dump yet", "ru": "Выгрузок пока нет"}[language] in page
    assert "<table" not in page
    assert visitor.get("/dumps?month=2026-10").status_code == 400


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_of_dumps_has_every_file_of_a_month(visitor: Visitor, redis_url: str, language: str) -> None:
    first, last = publish(redis_url, "2026-09"), publish(redis_url, "2026-10", parts=3, late=7)
    visitor.language = language
    for made, path in ((last, "/dumps"), (first, "/dumps?month=2026-09")):
        page = visitor.page(path)
        well_formed(page, language)
        found = Elements(page).found
        sizes = [attributes["value"] for tag, attributes in found if tag == "data"]
        assert sizes == [str(file.size) for file in made.files]
        files = [attributes["href"] for tag, attributes in found if tag == "a" and "download" in attributes]
        assert files == [f"/v1/dumps/{made.month}/{file.name}" for file in made.files]
        assert all(f">{file.sha256}<" in page for file in made.files)
        assert (
            f'pd.read_parquet("http://localhost/v1/dumps/{made.month}/matches-{made.month}.parquet")' in page
        )
        assert "CC0 1.0" in page
    october = {"en": "October 2026", "ru": "октябрь 2026"}[language]
    found = visitor.get("/dumps?month=2026-11")
    assert (found.status_code, found.mimetype) == (400, "text/html")
    page = visitor.page("/dumps")
    assert page.index(f">{october}<") < page.index('href="?month=2026-09"')
    assert {"en": "1,234", "ru": "1\N{NO-BREAK SPACE}234"}[language] in page
    assert {"en": "56,789", "ru": "56\N{NO-BREAK SPACE}789"}[language] in page
    assert {"en": "public later: 7", "ru": "открытыми позже: 7"}[language] in page


@pytest.mark.parametrize("path", ["/matches", "/help", "/"])
def test_pages_that_lead_to_records_lead_to_the_dumps(visitor: Visitor, path: str) -> None:
    assert 'href="/dumps"' in visitor.page(path)
