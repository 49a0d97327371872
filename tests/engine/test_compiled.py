"""The quick tests of the engine, the house bots and the search also pass with the compiled rules."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tools import compile_engine

TRIED = (
    "not (test_laws or at_length or test_compiled or test_a_newcomer) or declared_fields and not at_length"
)
"""Golden playthroughs, node counts, the rules of each game, the second implementation, and one of the laws: `mypyc`
once lost fields of observations."""
BOTS = ("test_house.py", "test_play_on.py", "test_search.py", "test_search_determinization.py")
TESTS = ("tests/engine", "tests/outsider", *(f"tests/bots/{name}" for name in BOTS))

# A separate process imports the compiled rules before anything imports the others.
RUN = """
import sys
sys.path.insert(0, sys.argv[1])
import engine.registry, engine.games.durak, bots.house.greedy.durak, bots.search.race, pytest
for module in (engine.games.durak, bots.house.greedy.durak, bots.search.race):
    assert not module.__file__.endswith(".py"), module.__file__
sys.exit(pytest.main(sys.argv[2:]))
"""


@pytest.fixture(scope="module")
def folder() -> Path:
    """Compile the rules as `make compiled` does, and return their folder."""
    if compile_engine.compiler() is None:
        pytest.skip("there is no C compiler here to compile the engine with")
    compile_engine.build()
    return compile_engine.FOLDER


@pytest.mark.ci
def test_the_engine_tests_pass_with_the_compiled_rules(folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", RUN, str(folder), "-q", "-p", "no:cacheprovider", *TESTS, "-k", TRIED],
        cwd=compile_engine.ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-1000:]
    assert "passed" in done.stdout


def test_a_changed_source_is_compiled_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "engine").mkdir()
    source = tmp_path / "engine" / "cards.py"
    source.write_text("PACK = 36\n")
    monkeypatch.setattr(compile_engine, "ROOT", tmp_path)
    folder = tmp_path / "compiled"
    assert not compile_engine.is_current(folder)
    folder.mkdir()
    (folder / compile_engine.NOTE).write_text(compile_engine.made_from())
    assert compile_engine.is_current(folder)
    source.write_text("PACK = 52\n")
    assert not compile_engine.is_current(folder)


def test_a_missing_compiler_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    with pytest.raises(compile_engine.CannotBuild, match="no C compiler"):
        compile_engine.build(tmp_path / "compiled")
    assert not (tmp_path / "compiled").exists()
