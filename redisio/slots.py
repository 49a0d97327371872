"""Which node of a Redis Cluster serves which key."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import Any, Final

from redis.crc import REDIS_CLUSTER_HASH_SLOTS, key_slot

from redisio.hosts import Node
from redisio.scripts import Command

_KEYLESS: Final = frozenset(
    {
        *("CLIENT", "CLUSTER", "CONFIG", "DBSIZE", "ECHO", "FLUSHALL", "INFO", "PING"),
        *("PUBLISH", "SCAN", "SCRIPT", "TIME"),
    }
)
_COUNTED: Final = frozenset({"EVAL", "EVALSHA"})
"""Commands that state how many keys they have."""


class SlotMap:
    """The masters of all slots, as one node names them."""

    def __init__(self, found: Sequence[Any], asked: Node, previous: SlotMap | None = None) -> None:
        """Read the answer to CLUSTER SLOTS of the node `asked`. A slot that the answer does not cover keeps its
        previous master, which will refuse its commands with CLUSTERDOWN or MOVED."""
        self._masters: list[Node] = (
            [asked] * REDIS_CLUSTER_HASH_SLOTS if previous is None else list(previous._masters)
        )
        nodes: list[Node] = []
        for first, last, *servers in found:
            addresses = [_node(server, asked) for server in servers]
            self._masters[first : last + 1] = addresses[:1] * (last + 1 - first)
            nodes += addresses
        self.nodes: list[Node] = list(dict.fromkeys(nodes)) or (
            [asked] if previous is None else previous.nodes
        )
        """All servers, including replicas."""
        self.masters = list(dict.fromkeys(self._masters))
        """The servers that have slots, each once."""

    def master(self, slot: int) -> Node:
        return self._masters[slot]

    def key_on_each(self, prefix: str) -> list[str]:
        found: dict[Node, str] = {}
        servers = set(self._masters)
        for number in count():
            key = f"{prefix}:{number}"
            found.setdefault(self._masters[key_slot(key.encode())], key)
            if len(found) == len(servers):
                break
        return list(found.values())

    def move(self, slot: int, node: Node) -> None:
        self._masters[slot] = node
        if node not in self.masters:
            self.masters.append(node)


def slot_of(command: Command) -> int | None:
    """Return the slot of a command's first key, or `None` for a command without keys.

    All keys of a command must be in this slot; the server refuses others with CROSSSLOT.
    """
    name = command[0]
    if name in _COUNTED:
        key = command[3] if int(command[2]) else None
    else:
        key = None if name in _KEYLESS or len(command) < 2 else command[1]
    if key is None:
        return None
    return key_slot(key.encode() if isinstance(key, str) else key)


def _node(server: Sequence[Any], asked: Node) -> Node:
    """Return the address of a server. One that does not know its own host is reached as the one that was asked."""
    host = server[0].decode() if server[0] else ""
    return Node(host if host not in ("", "?") else asked.host, int(server[1]))
