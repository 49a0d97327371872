"""`make audit` fails for vulnerabilities and for nothing else, and never passes for a check that was not made."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest

from tools.audit import audit, pip_audit

LOCKS = [Path("runtime.txt"), Path("dev.txt")]
GOOD = {"name": "flask", "version": "3.1.3", "vulns": []}
BAD = {"name": "old", "version": "1.0", "vulns": [{"id": "PYSEC-1", "fix_versions": ["1.1"]}]}
UNKNOWN = {"name": "ours", "skip_reason": "not on PyPI"}


class Auditor:
    """Answers for pip-audit: by service what it writes, or `None` where it can't reach it."""

    def __init__(self, **answers: list[dict[str, object]] | None) -> None:
        self.answers = answers
        self.asked: list[str] = []

    def __call__(self, command: Sequence[str]) -> tuple[int, str]:
        options = dict(pairwise(command))
        service = options["--vulnerability-service"]
        self.asked.append(service)
        found = self.answers[service]
        if found is None:
            return 1, "Traceback\nConnectionError: no route to host"
        Path(options["--output"]).write_text(json.dumps({"dependencies": found, "fixes": []}))
        return int(any(package.get("vulns") for package in found)), "as asked"


def test_no_known_vulnerabilities(capsys: pytest.CaptureFixture[str]) -> None:
    auditor = Auditor(pypi=[GOOD, UNKNOWN])
    assert audit(["pip-audit"], LOCKS, auditor) == 0
    output = capsys.readouterr().out
    assert "1 packages were checked with pypi: none with known vulnerabilities" in output
    assert "not checked: ours: not on PyPI" in output


def test_a_vulnerability_is_reported_and_fails(capsys: pytest.CaptureFixture[str]) -> None:
    assert audit(["pip-audit"], LOCKS, Auditor(pypi=[GOOD, BAD])) == 1
    assert "VULNERABLE: old 1.0: PYSEC-1; mended in 1.1" in capsys.readouterr().out


def test_the_second_service_is_used_when_the_first_is_away() -> None:
    auditor = Auditor(pypi=None, osv=[BAD])
    assert audit(["pip-audit"], LOCKS, auditor) == 1
    assert auditor.asked == ["pypi", "osv"]


def test_without_a_reachable_service_it_reports_that_nothing_was_checked(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert audit(["pip-audit"], LOCKS, Auditor(pypi=None, osv=None)) == 0
    output = capsys.readouterr().out
    assert output.startswith("SKIPPED: no service that has advisories could be reached")
    assert "no route to host" in output
    assert "NOTHING WAS CHECKED" in output


def test_a_service_that_knows_nothing_is_no_check(capsys: pytest.CaptureFixture[str]) -> None:
    """As a mirror of the package index without its advisories."""
    assert audit(["pip-audit"], LOCKS, Auditor(pypi=[UNKNOWN], osv=[])) == 0
    assert "NOTHING WAS CHECKED" in capsys.readouterr().out


def test_without_pip_audit_it_says_why(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python").touch()
    output = pip_audit(tmp_path, lambda command: (1, "ERROR: No matching distribution found for pip-audit"))
    assert output == "pip-audit could not be installed (ERROR: No matching distribution found for pip-audit)"
