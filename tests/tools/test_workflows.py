"""The workflows run what the Makefile promises."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


def test_ci_lints_the_contract_with_two_linters() -> None:
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "check.yml").read_text(encoding="utf-8"))
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    assert "make contract" in [step.get("run") for step in steps]
    recipe = re.search(r"^contract:.*\n((?:\t.*\n)+)", MAKEFILE, re.MULTILINE)
    assert recipe is not None
    assert "spectral-cli@$(SPECTRAL) lint openapi.yaml --fail-severity=warn" in recipe[1]
    assert "redocly/cli@$(REDOCLY) lint openapi.yaml" in recipe[1]


def test_the_linters_of_the_contract_have_fixed_versions() -> None:
    assert re.search(r"^SPECTRAL := \d+\.\d+\.\d+$", MAKEFILE, re.MULTILINE)
    assert re.search(r"^REDOCLY := \d+\.\d+\.\d+$", MAKEFILE, re.MULTILINE)


def test_every_action_is_pinned_to_a_commit_and_names_its_release() -> None:
    for page in sorted((ROOT / ".github" / "workflows").glob("*.yml")):
        used = re.findall(r"^\s*-?\s*uses:\s*(.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
        assert used, page.name
        assert [
            each for each in used if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40}  # v\d+\.\d+\.\d+", each)
        ] == []


def test_every_foreign_image_names_a_release() -> None:
    pages = [ROOT / "deploy" / "Dockerfile", *sorted((ROOT / "deploy").rglob("*.yaml"))]
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    images = set(re.findall(r"^\s*(?:-\s*)?(?:image:|FROM) ([^\s]+)", text, re.MULTILINE)) - {"kozyr"}
    assert images
    assert [each for each in images if not re.search(r":v?\d", each)] == []
