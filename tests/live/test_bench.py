"""Benchmarks run, on a service without rate limits and with long timeouts for silent connections."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from bench.__main__ import LONG, SECTIONS

ROOT = Path(__file__).resolve().parents[2]
BENCHES = sorted((ROOT / "bench").rglob("*.py"))


@pytest.mark.soak
@pytest.mark.parametrize("section", sorted(SECTIONS.keys() - LONG))
def test_every_section_of_the_benchmark_runs(section: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "bench", section], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    title, _ = SECTIONS[section]
    assert done.stdout.startswith(f"\n## {title}\n\n")


@pytest.mark.parametrize("path", BENCHES, ids=lambda path: path.stem)
def test_every_benchmark_starts_its_service_with_the_benchmark_settings(path: Path) -> None:
    for call in ast.walk(ast.parse(path.read_text())):
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "LiveService":
            settings = next(word.value for word in call.keywords if word.arg == "settings")
            names = {node.id for node in ast.walk(settings) if isinstance(node, ast.Name)}
            assert "MEASURED" in names, f"line {call.lineno}"
