"""What all pages have in common: headers, languages, static files, errors."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from pathlib import Path

import pytest
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po

import web
from api.problems import KINDS
from tests.web.conftest import Visitor
from web.errors import PageError

WEB = Path(web.__file__).parent
FOLDERS = (WEB, WEB.parent / "records" / "page")
VENDORED = WEB / "static" / "vendor"


def test_a_page_allows_its_own_files_only(visitor: Visitor) -> None:
    page = visitor.get("/")
    policies = page.headers.getlist("Content-Security-Policy")
    assert len(policies) == 1
    assert policies[0].startswith("default-src 'none'; script-src 'self'; style-src 'self';")
    assert "unsafe" not in policies[0]
    assert page.headers["X-Content-Type-Options"] == "nosniff"
    assert page.headers["Cache-Control"] == "private, no-cache"


def test_a_parameter_chooses_the_language_and_a_cookie_keeps_it(visitor: Visitor) -> None:
    assert '<html lang="ru">' in visitor.page("/?lang=ru")
    assert '<html lang="ru">' in visitor.page("/")
    assert '<html lang="en">' in visitor.page("/?lang=en")
    assert '<html lang="en">' in visitor.page("/?lang=xx")


def test_browsers_get_error_pages_and_programs_get_problems(visitor: Visitor) -> None:
    page = visitor.get("/nowhere")
    assert (page.status_code, page.mimetype) == (404, "text/html")
    assert "The path does not exist" in page.text
    assert "Такого адреса нет" in visitor.get("/nowhere?lang=ru").text
    assert visitor.post("/", {}).status_code == 405
    assert visitor.get("/nowhere", headers={"Accept": "*/*"}).mimetype == "application/problem+json"
    assert visitor.get("/v1/nowhere").mimetype == "application/problem+json"


def test_static_files_are_immutable_under_their_hash(visitor: Visitor) -> None:
    (address,) = re.findall(r'href="([^"]+site\.css)"', visitor.page("/"))
    found = visitor.get(address)
    assert found.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert found.content_type == "text/css; charset=utf-8"
    old = visitor.get("/static/0123456789abcdef/site.css")
    assert (old.status_code, old.headers["Cache-Control"]) == (200, "no-cache")
    assert visitor.get("/static/0123456789abcdef/vendor/README.md").status_code == 404
    assert visitor.get("/static/0123456789abcdef/../site.py").status_code == 404


def test_vendored_files_have_the_checksums_that_are_listed() -> None:
    listed = dict(
        re.findall(r"^\| (\S+) \|.*`(\w{64})` \|$", (VENDORED / "README.md").read_text(), re.MULTILINE)
    )
    files = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in VENDORED.iterdir()
        if path.suffix not in (".md", ".LICENSE")
    }
    assert files == listed


def test_every_message_has_one_russian_translation() -> None:
    titles = {kind.title for kind in KINDS.values()} | {error.title for error in PageError.__subclasses__()}
    wanted: set[tuple[str, str]] = {("", title) for title in titles}
    methods = [("templates/**.html", "jinja2"), ("**.py", "python")]
    options = {"templates/**.html": {"trimmed": "true", "newstyle_gettext": "true"}}
    for folder in FOLDERS:
        for _, _, message, _, context in extract_from_dir(folder, methods, options):
            wanted.add((context or "", message[0] if isinstance(message, tuple) else message))
    known: Counter[tuple[str, str]] = Counter()
    for path in (path for folder in FOLDERS for path in sorted((folder / "locale" / "ru").glob("*.po"))):
        for message in read_po(path.open("rb"), locale="ru"):
            texts = [message.string] if isinstance(message.string, str) else list(message.string)
            name = message.id[0] if isinstance(message.id, tuple | list) else message.id
            if name and all(texts) and not message.fuzzy:
                known[message.context or "", name] += 1
    assert sorted(wanted - set(known)) == []
    assert [message for message, count in known.items() if count > 1] == []


def test_other_requests_run_while_a_long_page_is_rendered(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[None] = []
    monkeypatch.setattr("web.templating._PAUSE_EVERY", 10)
    monkeypatch.setattr("referee.greenlets.let_others_run", lambda: pauses.append(None))
    visitor.page("/games")
    assert len(pauses) > 1


def test_every_address_in_a_template_begins_with_the_root() -> None:
    """Else a page leads out of the path below which a proxy offers the site (`tests/live/test_path_prefix.py`)."""
    attribute = re.compile(
        r"\b(?:href|src|action|formaction|hx-[a-z]+|data-moves)=\"(/|\{\{ (?:here|next|export) )"
    )
    for template in (path for folder in FOLDERS for path in (folder / "templates").glob("*.html")):
        assert attribute.findall(template.read_text(encoding="utf-8")) == [], template.name
    for script in (path for folder in FOLDERS for path in (folder / "static").glob("*.js")):
        assert not re.search(r"[\"'`(]/[a-z]+[/?\"'`]", script.read_text(encoding="utf-8")), script.name
