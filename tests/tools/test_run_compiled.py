"""`make run` uses compiled rules once they are built, and says which rules it uses."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import compile_engine, run_compiled


@pytest.fixture
def builds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the list of builds that were started; none is."""
    started: list[str] = []
    monkeypatch.setattr(compile_engine, "FOLDER", tmp_path / "compiled")
    monkeypatch.setattr(compile_engine, "compiler", lambda: "/usr/bin/cc")
    monkeypatch.setattr(run_compiled, "start_build", lambda: started.append("build"))
    return started


def test_rules_that_are_not_compiled_yet_are_compiled_for_the_next_start(builds: list[str]) -> None:
    line, chosen = run_compiled.choose("compiled", {"A": "b"})
    assert line.startswith("rules: Python; compiling them")
    assert (chosen, builds) == ({"A": "b"}, ["build"])


def test_compiled_rules_come_first_on_the_path(builds: list[str]) -> None:
    folder = compile_engine.FOLDER
    folder.mkdir()
    (folder / compile_engine.NOTE).write_text(compile_engine.made_from())
    line, chosen = run_compiled.choose("compiled", {"PYTHONPATH": "/mine"})
    assert line == "rules: compiled"
    assert chosen == {"PYTHONPATH": f"{folder}:/mine", "PYTHONSAFEPATH": "1"}
    assert builds == []


def test_without_a_compiler_the_rules_in_python_are_used(
    builds: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compile_engine, "compiler", lambda: None)
    line, chosen = run_compiled.choose("compiled", {})
    assert line == "rules: Python; there is no C compiler to compile them with"
    assert (chosen, builds) == ({}, [])


def test_the_rules_in_python_can_be_requested(builds: list[str]) -> None:
    assert run_compiled.choose("python", {}) == ("rules: Python, as requested", {})
    assert builds == []
