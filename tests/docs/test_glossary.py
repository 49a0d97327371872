"""docs/glossary.md: in order, each term once, and every file and every route that it names is there."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
ROWS = re.findall(
    r"^\| (?!term|---)(.*?) \| (.*?) \| (.*) \|$", (ROOT / "docs" / "glossary.md").read_text(), re.MULTILINE
)


def test_terms_stand_once_and_in_order() -> None:
    terms = [term.lower() for term, _, _ in ROWS]
    assert len(terms) > 100
    assert terms == sorted(set(terms))


def test_every_meaning_is_short_and_every_file_is_there() -> None:
    for term, meaning, where in ROWS:
        assert meaning.endswith("."), term
        assert len(meaning.split()) <= 30, term
        for file in re.findall(r"(?:`|^| )((?:\w+/)+[\w-]+\.(?:py|lua|md|yaml))", where):
            assert (ROOT / file).is_file(), f"{term}: {file} is missing"


def test_every_route_is_in_the_contract() -> None:
    contract = yaml.load(
        (ROOT / "openapi.yaml").read_text(), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    )
    routes = {f"{method.upper()} {path}" for path, item in contract["paths"].items() for method in item}
    named = {(term, route) for term, _, where in ROWS for route in re.findall(r"`([A-Z]+ /[^`?]+)", where)}
    assert len(named) > 20
    assert {(term, route) for term, route in named if route not in routes} == set()
