"""The starter of each language: which files make it up, and how it is written.

Starters with a client come from `clients/`, the others from `examples/starters`. `kozyr/starters` has symbolic links to
both in the checkout, and the files themselves in the built distributions (`package-data` in pyproject.toml names the
same patterns). The former carry the source of their client, so they build although no client is published
(docs/adr/0023-starters-carry-their-client.md). The latter read and write lines (docs/line-protocol.md).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

CLIENTS: Final = Path(__file__).parent / "clients"
EXAMPLES: Final = Path(__file__).parent / "examples"
LINE_STARTERS: Final = EXAMPLES / "starters"
"""The starters without a client, in a folder for each language."""
TEMPLATE: Final = "template"
CARRIED: Final = "kozyr-client"
"""The folder of a starter that holds its client."""
_NAME: Final = re.compile(r"[a-z][a-z0-9-]{1,31}")
"""The form of the name of a folder after which its bot is named."""
_IGNORED: Final = "gitignore"
"""A template's `.gitignore` has no dot: with one, it would apply to the template itself."""
_COMMANDS: Final = re.compile(r"^```sh\n(.*?)^```$", re.DOTALL | re.MULTILINE)


class StarterError(ValueError):
    """A starter can't be written. The text says what to do."""


class StarterLanguage(NamedTuple):
    """A language that has a starter."""

    title: str
    """The language's name for people."""
    tools: tuple[str, ...]
    """Programs that must be on the PATH."""
    client: tuple[str, ...] = ()
    """Patterns of the client's own files, if the starter carries a client."""
    besides: str = ""
    """Pattern of files that are left out, such as tests."""
    aliases: tuple[str, ...] = ()


STARTERS: Final[Mapping[str, StarterLanguage]] = {
    "python": StarterLanguage(
        title="Python",
        tools=("python3",),
        client=(
            "LICENSE",
            "README.md",
            "pyproject.toml",
            "src/kozyr_client/*.py",
            "src/kozyr_client/py.typed",
        ),
        aliases=("py",),
    ),
    "typescript": StarterLanguage(
        title="TypeScript",
        tools=("node", "npm"),
        client=("LICENSE", "README.md", "package.json", "tsconfig*.json", "src/*.ts"),
        aliases=("ts",),
    ),
    "go": StarterLanguage(
        title="Go",
        tools=("go",),
        client=("LICENSE", "README.md", "go.mod", "*.go"),
        besides="*_test.go",
        aliases=("golang",),
    ),
    "rust": StarterLanguage(title="Rust", tools=("cargo",), aliases=("rs",)),
    "java": StarterLanguage(title="Java", tools=("java", "javac")),
    "cpp": StarterLanguage(title="C++", tools=("c++", "cmake"), aliases=("c++", "cxx")),
}


def template(language: str) -> Path:
    """Return the folder with the files of a starter, without its client."""
    return CLIENTS / language / TEMPLATE if STARTERS[language].client else LINE_STARTERS / language


def files(language: str) -> Iterator[tuple[Path, Path]]:
    """Yield each file of a starter: its source, and its path in the starter."""
    folder, starter = template(language), STARTERS[language]
    for source in sorted(folder.rglob("*")):
        if source.is_file() and source.parent.name != "__pycache__":
            path = source.relative_to(folder)
            yield source, path.with_name(f".{_IGNORED}") if path.name == _IGNORED else path
    for pattern in starter.client:
        for source in sorted((CLIENTS / language).glob(pattern)):
            if not starter.besides or not source.match(starter.besides):
                yield source, CARRIED / source.relative_to(CLIENTS / language)


def write_starter(language: str, folder: Path) -> str:
    """Write a starter into a new or empty folder, after which its bot is named.

    Return the commands of its README that play a first match.

    Overwrites nothing. Raise `StarterError`.
    """
    name = folder.resolve().name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise StarterError(f"the folder {folder} is not empty: name a new one")
        for source, path in files(language):
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            data = source.read_bytes()
            if path.parts[0] != CARRIED and _NAME.fullmatch(name):
                data = data.replace(b"my-bot", name.encode())
            with (folder / path).open("xb") as file:
                file.write(data)
    except FileExistsError:
        raise StarterError(f"{folder} is a file: name a new folder") from None
    except OSError as why:
        raise StarterError(f"the folder {folder} can't be written: {why.strerror}") from None
    return _commands(folder)


def commands_to_run(language: str) -> str:
    """Return the commands that write a starter and run its bot, whose token is in KOZYR_TOKEN."""
    *builds, challenge = _commands(template(language)).splitlines()
    options, _, program = challenge.partition(" -- ")
    run = program if "--client" in options else f"kozyr connect -- {program}"
    builds = [line for line in builds if not line.startswith("kozyr ")]
    return "\n".join([f"kozyr new-bot {language} my-bot", "cd my-bot", *builds, run])


def _commands(folder: Path) -> str:
    """Return the commands of a starter's README that play a first match."""
    found = _COMMANDS.search((folder / "README.md").read_text(encoding="utf-8"))
    assert found is not None, "the README of a starter has a block of commands"
    return found[1]
