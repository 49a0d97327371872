"""The house bots of a service, by their versions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from records.match.players import HousePlayer, Players, ThinkingPlayer


class HouseVersions(Mapping[str, str]):
    """The versions of house bots by name. Finds those with a number of playouts, but does not iterate over them."""

    def __init__(self, players: Players, thinkers: Mapping[str, ThinkingPlayer]) -> None:
        self._bots: Sequence[Mapping[str, HousePlayer | ThinkingPlayer]] = (players, thinkers)

    def __getitem__(self, name: str) -> str:
        for bots in self._bots:
            if (bot := bots.get(name)) is not None:
                return bot.version
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return iter(sorted({name for bots in self._bots for name in bots}))

    def __len__(self) -> int:
        return len(set(self))
