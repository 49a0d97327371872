"""The bracket of a knock-out, stage by stage (`league.pairing.formats.knock_out` computes it)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from league.pairing.plan import Entrant


class BracketNode(NamedTuple):
    """A table of a stage."""

    table: tuple[Entrant, ...]
    advance: int
    """How many bots advance."""
    groups: int
    """The number of groups played so far."""
    points: Mapping[str, int]
    """By bot id, the points in all groups."""
    through: tuple[Entrant, ...] | None
    """The bots that advance; `None` while undecided."""
    walkover: frozenset[str] = frozenset()
    """The ids of the bots that lost without play; empty for a table decided by play."""


class BracketStage(NamedTuple):
    nodes: tuple[BracketNode, ...]
    byes: tuple[Entrant, ...]


class Bracket(NamedTuple):
    """The stages so far. The last may be undecided."""

    stages: tuple[BracketStage, ...]
    winner: Entrant | None
    excluded: int
    """Entrants whose owner has a better seed among the entrants."""

    @property
    def walkovers(self) -> Mapping[frozenset[str], frozenset[str]]:
        nodes = [node for stage in self.stages for node in stage.nodes if node.walkover]
        return {frozenset(entrant.id for entrant in node.table): node.walkover for node in nodes}

    @property
    def is_final(self) -> bool:
        """Whether the last meeting was decided by play. A walkover without a later round is not final: its bots may
        come back."""
        last = self.stages[-1].nodes if self.winner is not None else ()
        return bool(last) and all(node.groups and not node.walkover for node in last)

    @property
    def reached(self) -> Mapping[str, int]:
        """By bot id, the stage that it has reached, from 1. The winner has reached one more than there are."""
        found: dict[str, int] = {}
        for number, stage in enumerate(self.stages, 1):
            found |= {entrant.id: number for node in stage.nodes for entrant in node.table}
            through = [entrant for node in stage.nodes for entrant in node.through or ()]
            found |= {entrant.id: number + 1 for entrant in (*stage.byes, *through)}
        return found
