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


@pytest.mark.parametrize(
    ("rules", "compiler", "line", "builds_one"),
    [
        ("compiled", "/usr/bin/cc", "rules: Python; compiling them", True),
        ("compiled", None, "rules: Python; there is no C compiler to compile them with", False),
        ("python", "/usr/bin/cc", "rules: Python, as requested", False),
    ],
)
def test_rules_that_are_not_compiled_are_those_in_python(
    builds: list[str],
    monkeypatch: pytest.MonkeyPatch,
    rules: str,
    compiler: str | None,
    line: str,
    builds_one: bool,
) -> None:
    monkeypatch.setattr(compile_engine, "compiler", lambda: compiler)
    said, chosen = run_compiled.choose(rules, {"A": "b"})
    assert said.startswith(line)
    assert (chosen, builds) == ({"A": "b"}, ["build"] * builds_one)


def test_compiled_rules_come_first_on_the_path(builds: list[str]) -> None:
    folder = compile_engine.FOLDER
    folder.mkdir()
    (folder / compile_engine.NOTE).write_text(compile_engine.made_from())
    line, chosen = run_compiled.choose("compiled", {"PYTHONPATH": "/mine"})
    assert line == "rules: compiled"
    assert chosen == {"PYTHONPATH": f"{folder}:/mine", "PYTHONSAFEPATH": "1"}
    assert builds == []
