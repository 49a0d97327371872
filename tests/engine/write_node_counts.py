"""Write the node counts: `python -m tests.engine.write_node_counts [game …]`, by default for all games."""

from __future__ import annotations

import sys

from tests.engine.node_counts import FOLDER, wanted, written


def main(games: list[str]) -> None:
    """Write the files of these games, or of all, and remove those of games that are gone."""
    known = {game.id for _, game in wanted()} | {path.name.split(".")[0] for path in FOLDER.glob("*.txt")}
    if unknown := sorted(set(games) - known):
        sys.exit(f"there is no game {', '.join(unknown)}; there are {', '.join(sorted(known))}")
    FOLDER.mkdir(exist_ok=True)
    made = set()
    for path, game in wanted():
        if not games or game.id in games:
            path.write_text(written(game, path.stem), encoding="utf-8")
            made.add(path)
    for path in FOLDER.glob("*.txt"):
        if path not in made and (not games or path.name.split(".")[0] in games):
            path.unlink()


if __name__ == "__main__":
    main(sys.argv[1:])
