"""The types of the clients in TypeScript and Go, which are written by hand, have the fields of the contract."""

from __future__ import annotations

import re
from typing import Final

import pytest

from tests.support.live import ROOT
from tests.support.strict_schemas import published

PARTIAL: Final = frozenset({"Problem"})
"""Types that leave out fields which few bots read."""
BLOCK: Final = re.compile(
    r"^(?:export interface|type) (\w+)(?: extends (\w+)| struct)? \{\n(.*?)^\}", re.MULTILINE | re.DOTALL
)
FIELD: Final = {
    "typescript": re.compile(r"^  (\w+)(\?)?: ", re.MULTILINE),
    "go": re.compile(r'`json:"(\w+)(,omitempty)?"`'),
}
FILES: Final = {"typescript": ("src/types.ts",), "go": ("types.go", "turn.go")}


def types(language: str) -> dict[str, dict[str, bool]]:
    """Return the fields of each type and whether they may be left out, also those of the types that it extends."""
    text = "\n".join((ROOT / "clients" / language / name).read_text() for name in FILES[language])
    found: dict[str, dict[str, bool]] = {}
    for name, base, body in BLOCK.findall(text):
        embedded = re.match(r"\t([A-Z]\w+)\n", body)
        parent = base or (embedded[1] if embedded else "")
        own = {field: bool(optional) for field, optional in FIELD[language].findall(body)}
        found[name] = found.get(parent, {}) | own
    return found


@pytest.mark.parametrize("language", FILES)
def test_each_type_has_the_fields_of_its_schema(language: str) -> None:
    schemas = published()["components"]["schemas"]
    compared = 0
    for name, fields in types(language).items():
        properties = schemas.get(name, {}).get("properties")
        if properties is None:
            continue
        compared += 1
        required = set(schemas[name].get("required", ()))
        expected = {field: field not in required for field in properties}
        if name in PARTIAL:
            expected = {
                field: optional for field, optional in expected.items() if field in fields or not optional
            }
        assert fields == expected, name
    assert compared >= 18
