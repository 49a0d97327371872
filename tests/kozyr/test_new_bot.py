"""`kozyr new-bot` writes a starter into a new folder, overwrites nothing, and says what to do next."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kozyr.starters.writing import CLIENTS, STARTERS
from tests.support.command_line import kozyr

ROOT = Path(__file__).parents[2]
HEAD = re.compile(r"[a-z]+://(?!127\.0\.0\.1|www\.w3\.org|opensource\.org)\S+")
"""An address outside this machine, other than those of XML name spaces and of the licence."""

WITH_CLIENT = [name for name, starter in STARTERS.items() if starter.client]
WITHOUT_CLIENT = [name for name in STARTERS if name not in WITH_CLIENT]


def names(folder: Path) -> set[str]:
    """Return the paths of all files of a folder."""
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("language", STARTERS)
def test_a_starter_has_a_bot_and_a_readme_and_no_built_files(language: str, tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "bot"
    made = kozyr("new-bot", language, folder)
    assert made.exit_code == 0, made.output
    written = names(folder)
    assert {"README.md", ".gitignore"} <= written
    assert not any(
        part in name for name in written for part in ("node_modules", "__pycache__", "target/", "build/")
    )
    (commands,) = re.findall(r"```sh\n(.*?)```", (folder / "README.md").read_text(), re.DOTALL)
    assert made.stdout.endswith(f"\ncd {folder}\n{commands}")


@pytest.mark.parametrize("language", WITH_CLIENT)
def test_a_starter_with_a_client_has_a_test_and_the_source_of_the_client(
    language: str, tmp_path: Path
) -> None:
    kozyr("new-bot", language, tmp_path)
    written = names(tmp_path)
    assert {"kozyr-client/LICENSE", "kozyr-client/README.md"} <= written
    assert any("test" in name for name in written if not name.startswith("kozyr-client/"))


@pytest.mark.parametrize("language", WITHOUT_CLIENT)
def test_a_starter_without_a_client_is_one_source_file_of_at_most_80_lines(
    language: str, tmp_path: Path
) -> None:
    kozyr("new-bot", language, tmp_path)
    (source,) = names(tmp_path) - {"README.md", ".gitignore", "Cargo.toml", "CMakeLists.txt"}
    assert len((tmp_path / source).read_text().splitlines()) <= 80


@pytest.mark.parametrize("language", STARTERS)
def test_a_starter_names_no_address_that_its_build_could_need(language: str, tmp_path: Path) -> None:
    folder = tmp_path / "bot"
    kozyr("new-bot", language, folder)
    manifests = {
        "pyproject.toml",
        "requirements.txt",
        "package.json",
        "go.mod",
        "Cargo.toml",
        "CMakeLists.txt",
    }
    found = [path for path in folder.rglob("*") if path.name in manifests]
    assert {str(path): HEAD.findall(path.read_text()) for path in found} == {str(path): [] for path in found}


def test_a_folder_that_is_not_empty_is_refused_and_kept(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("mine")
    ended = kozyr("new-bot", "go", tmp_path)
    assert (ended.exit_code, ended.stdout) == (2, "")
    assert ended.stderr == f"kozyr: the folder {tmp_path} is not empty: name a new one\n"
    assert [path.name for path in tmp_path.iterdir()] == ["README.md"]
    assert (tmp_path / "README.md").read_text() == "mine"


@pytest.mark.parametrize(
    ("alias", "meant"), [("C++", "C++"), ("ts", "TypeScript"), ("golang", "Go"), ("py", "Python")]
)
def test_a_short_name_of_a_language_is_taken(alias: str, meant: str, tmp_path: Path) -> None:
    assert f"a bot in {meant}." in kozyr("new-bot", alias, tmp_path / "bot").stdout


def test_every_client_has_a_starter_that_carries_it() -> None:
    clients = {path.name for path in CLIENTS.iterdir() if (path / "README.md").exists()} - {"fixtures"}
    assert clients == set(WITH_CLIENT)


@pytest.mark.parametrize("language", STARTERS)
def test_the_bot_is_named_after_the_folder(language: str, tmp_path: Path) -> None:
    ended = kozyr("new-bot", language, tmp_path / "quick-fox")
    assert ended.exit_code == 0, ended.output
    assert "kozyr bot create quick-fox" in ended.output
    carried = tmp_path / "quick-fox" / "kozyr-client"
    files = [path for path in (tmp_path / "quick-fox").rglob("*") if path.is_file()]
    own = [path.read_text() for path in files if carried not in path.parents]
    assert not [text for text in own if "my-bot" in text]
    odd = kozyr("new-bot", language, tmp_path / "Odd name")
    assert "kozyr bot create my-bot" in odd.output
