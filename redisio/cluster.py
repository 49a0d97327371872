"""A Redis Cluster, with one shared connection per master (docs/adr/0029-one-connection-per-node.md).

A command goes to the master of its key's slot. The commands of one call go to their masters at the same time.

A node answers MOVED, ASK, TRYAGAIN or NOSCRIPT to a command that it has not executed, so the command is sent again.
After a lost connection it is unknown what was executed, so the caller gets the error. Then a watcher thread asks one
node after the other for the masters. It also does so while a round trip takes long, because a node that hangs closes no
connection.
"""

from __future__ import annotations

import logging
import random
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from itertools import count
from typing import Any, Final

from redis.crc import REDIS_CLUSTER_HASH_SLOTS, key_slot
from redis.exceptions import AskError, MovedError, NoScriptError, RedisError, TryAgainError
from redis.exceptions import ConnectionError as LostConnection
from redis.exceptions import TimeoutError as LateAnswer

from redisio.address import client_for, node_url
from redisio.errors import NotSent, WrongServers, checked, is_refusal
from redisio.group_commit import QueuedRequest, SharedConnection
from redisio.hosts import Node, cluster_nodes
from redisio.scripts import Command, script_text
from redisio.server import info_fields

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


log = logging.getLogger(__name__)

_ATTEMPTS: Final = 8
"""How often a command is sent that no node executes."""
_PAUSE_S: Final = 0.01
"""The pause before the third attempt. It grows by this with each further one."""
_SLOW_S: Final = 0.5
"""A round trip that takes longer than this makes the watcher ask for the masters."""
_ASK_S: Final = 0.5
"""How long a node may take to name the masters."""
_WATCH_S: Final = 0.25
"""How often the watcher looks for slow round trips."""
_REFRESH_S: Final = 0.1
"""The pause after the masters were asked for."""
_ABOUT: Final[tuple[Command, ...]] = (("CLUSTER", "SLOTS"), ("CLUSTER", "INFO"), ("CLUSTER", "NODES"))
_UNEXECUTED: Final = (AskError, TryAgainError, NoScriptError, NotSent)
_LOST: Final = (LostConnection, LateAnswer)
"""The errors of a round trip that failed. It is unknown which of its commands were executed."""
_ASKING: Final[Command] = ("ASKING",)


class NodeCommand(tuple[Any, ...]):
    """A command without keys for a certain node, which is its last element and is not sent."""

    __slots__ = ()


class Cluster:
    """The masters of a Redis Cluster. Safe to share between greenlets and threads."""

    def __init__(self, url: str, *, timeout: float, wait_replicas: int | None) -> None:
        """`url` names one or more nodes; any that answers names the others. All take the same credentials and
        certificates. Connects when first used. Raise `ValueError` for another address."""
        self._url, self._timeout, self._wait_replicas = url, timeout, wait_replicas
        self._seeds = cluster_nodes(url)
        self.changes = 0
        """How often a connection was opened or other servers became masters."""
        self.replicated = False
        """Whether the cluster has had replicas since this process first asked it."""
        self._slots: SlotMap | None = None
        self._lines: dict[Node, SharedConnection] = {}
        self._lock = threading.Lock()
        self._outdated = threading.Event()
        self._closed = threading.Event()

    @property
    def wait_replicas(self) -> int:
        """How many replicas must have a write before it is answered. By default 1 if the cluster had replicas when
        this process first asked it. Raise what `run` raises then."""
        if self._wait_replicas is None:
            self._known()
            self._wait_replicas = int(self.replicated)
        return self._wait_replicas

    def run(self, commands: Sequence[Command]) -> list[Any]:
        """Return the answers to these commands, errors of single commands as values. The answer to each command of a
        failed round trip is its `LostConnection` or `LateAnswer`."""
        publishes = [command[0] == "PUBLISH" for command in commands]
        if all(publishes) or not any(publishes):
            return self._execute(commands)
        # Wake nobody before the change, which may be on another node.
        changed = iter(
            self._execute([each for each, last in zip(commands, publishes, strict=True) if not last])
        )
        woken = iter(self._execute([each for each, last in zip(commands, publishes, strict=True) if last]))
        return [next(woken if last else changed) for last in publishes]

    def on_masters(self, *command: Any) -> list[Command]:
        """Return this command without keys once for each master."""
        return [NodeCommand((*command, node)) for node in self._known().masters]

    def key_on_each(self, prefix: str) -> list[str]:
        return self._known().key_on_each(prefix)

    def any_url(self) -> str:
        """Return the address of one of the nodes, another one each time."""
        return self._url_of(random.choice(self._known().nodes))

    def reconnect(self) -> None:
        """Ask for the masters soon, since a node no longer serves as one."""
        self._outdated.set()

    def close(self) -> None:
        self._closed.set()
        self._outdated.set()
        for line in list(self._lines.values()):
            line.close()

    # --- sending ---

    def _execute(self, commands: Sequence[Command]) -> list[Any]:
        """Send the commands until each has been executed or refused."""
        call = _Call(commands)
        for attempt in range(_ATTEMPTS):
            if attempt > 1:
                time.sleep(_PAUSE_S * (attempt - 1))
            self._exchange(call)
            if not call.left:
                return call.answers
        refusals = [call.answers[index] for index in call.left]
        if all(isinstance(refusal, TryAgainError | NoScriptError) for refusal in refusals):
            return call.answers
        disagreement = LostConnection(f"the cluster does not agree on its slots: {refusals[0]}")
        for index in call.left:
            call.answers[index] = disagreement
        return call.answers

    def _exchange(self, call: _Call) -> None:
        """Make a round trip to each node that has commands left, all at the same time."""
        slots = self._known()
        parts = call.parts(slots)
        trips = [_Trip(self._line(node), call, indexes) for node, indexes in parts.items()]
        for trip in trips[1:]:
            trip.begin()
        lost = [trip for trip in trips if not trip.finish()]
        if call.advance(slots, parts) or lost:
            self._outdated.set()

    def _line(self, node: Node) -> SharedConnection:
        line = self._lines.get(node)
        if line is not None and not line.closed:
            return line
        with self._lock:
            line = self._lines.get(node)
            if line is None or line.closed:
                client = client_for(self._url_of(node), timeout=self._timeout, connect_timeout=self._timeout)
                connection = client.connection_pool.make_connection()
                connection.register_connect_callback(self._opened)  # type: ignore[no-untyped-call]  # redis-py's
                self._lines[node] = line = SharedConnection(connection, self.wait_replicas)
        return line

    def _opened(self, _: Any) -> None:
        self.changes += 1

    def _url_of(self, node: Node) -> str:
        return node_url(self._url, node)

    # --- the masters ---

    def _known(self) -> SlotMap:
        """Return the slot map. Load it and start the watcher if this is the first use."""
        if self._slots is None:
            with self._lock:
                if self._slots is None:
                    self._slots = self._asked(self._seeds)
                    threading.Thread(target=self._watch, name="redis-masters", daemon=True).start()
        return self._slots

    def _watch(self) -> None:
        while not self._closed.is_set():
            is_outdated = self._outdated.wait(_WATCH_S)
            if not is_outdated and not any(line.lasts(_SLOW_S) for line in list(self._lines.values())):
                continue
            self._outdated.clear()
            try:
                self._refresh()
            except RedisError as error:
                log.warning("the masters are unknown: %s", error)
            except Exception:
                log.exception("the watcher of the cluster failed")
            self._closed.wait(_REFRESH_S)

    def _refresh(self) -> None:
        """Load the slot map, and close the connections to servers that are no longer masters."""
        nodes = list({*self._known().nodes, *self._seeds})
        random.shuffle(nodes)
        nodes.sort(key=lambda node: node in self._lines and self._lines[node].lasts(_SLOW_S))
        found = self._asked(nodes)
        masters = set(found.masters)
        if masters != set(self._known().masters):
            self.changes += 1
        self._slots = found
        for node, line in list(self._lines.items()):
            if node in masters:
                continue
            if line.close(if_idle=not line.lasts(_SLOW_S)):
                with self._lock:
                    if self._lines[node] is line:
                        del self._lines[node]
            else:
                self._outdated.set()  # its round trip may yet end well: look again

    def _asked(self, nodes: Sequence[Node]) -> SlotMap:
        """Return the slot map of the first of these nodes that serves, else that of the node with the latest epoch.
        Raise `LostConnection` with the reason of each if none answers, or `WrongServers`."""
        found: dict[int, SlotMap] = {}
        errors: dict[Node, RedisError] = {}
        for node in nodes:
            client = client_for(self._url_of(node), timeout=_ASK_S, connect_timeout=_ASK_S)
            try:
                with closing(SharedConnection(client.connection_pool.make_connection())) as line:
                    slots, info, servers = map(checked, line.run(_ABOUT))
            except RedisError as error:
                errors[node] = error
                continue
            # Unlike CLUSTER SLOTS, CLUSTER NODES names replicas that are down.
            self.replicated |= any(b"slave" in server.split()[2] for server in servers.splitlines())
            facts = info_fields(info)
            slot_map = SlotMap(slots, node, self._slots)
            if facts["cluster_state"] == "ok":
                return slot_map
            found.setdefault(int(facts["cluster_current_epoch"]), slot_map)
        if not found:
            kind = WrongServers if all(map(is_refusal, errors.values())) else LostConnection
            reasons = ", ".join(f"{node} ({error})" for node, error in errors.items())
            raise kind(f"no node of the cluster answers; tried {reasons}")
        return found[max(found)]


class _Call:
    """The commands of one call, and what is known about them."""

    def __init__(self, commands: Sequence[Command]) -> None:
        self.commands = commands
        self.answers: list[Any] = [None] * len(commands)
        self.left: Sequence[int] = range(len(commands))
        """Indexes of the commands that no node has executed."""
        self.asked: dict[int, Node] = {}
        """The nodes to which ASK redirects single commands."""
        self.unknown: set[int] = set()
        """Indexes of scripts that a node did not know."""

    def parts(self, slots: SlotMap) -> dict[Node, list[int]]:
        """Return what is left by node. A command without keys goes with the previous command, or else with the first
        that has keys."""
        parts: dict[Node, list[int]] = {}
        first: list[int] = []
        node: Node | None = None
        for index in self.left:
            command = self.commands[index]
            if isinstance(command, NodeCommand):
                parts.setdefault(command[-1], []).append(index)
                continue
            slot = slot_of(command)
            if slot is not None:
                node = self.asked.get(index) or slots.master(slot)
            if node is None:
                first.append(index)
            else:
                parts.setdefault(node, []).append(index)
        if first:
            node = next(iter(parts), None) or random.choice(slots.masters)
            parts[node] = first + parts.get(node, [])
        return parts

    def advance(self, slots: SlotMap, parts: Mapping[Node, Sequence[int]]) -> bool:
        """Work out what to send again. Return whether a slot has moved. A redirection without a host means that of the
        node that gave it, which `parts` names."""
        self.left = [index for index in self.left if isinstance(self.answers[index], _UNEXECUTED)]
        self.asked = {}
        moved = False
        senders = {index: node for node, indexes in parts.items() for index in indexes} if self.left else {}
        for index in self.left:
            error = self.answers[index]
            if isinstance(error, AskError):
                node = Node(error.host or senders[index].host, error.port)
                if isinstance(error, MovedError):
                    slots.move(error.slot_id, node)
                    moved = True
                else:
                    self.asked[index] = node
            elif isinstance(error, NoScriptError):
                self.unknown.add(index)
        return moved


class _Trip:
    """The commands of a call that go to one node."""

    def __init__(self, line: SharedConnection, call: _Call, indexes: Sequence[int]) -> None:
        self._line, self._call, self._indexes = line, call, indexes
        self._request: QueuedRequest | None = None
        self._sent: list[Command] = []
        self._places: list[int] = []
        """The places of the commands among those sent, which include what must precede them."""
        loaded: set[str] = set()
        for index in indexes:
            command = call.commands[index]
            if index in call.unknown and command[1] not in loaded:
                loaded.add(command[1])
                self._sent.append(("SCRIPT", "LOAD", script_text(command[1])))
            if index in call.asked:
                self._sent.append(_ASKING)
            self._places.append(len(self._sent))
            self._sent.append(command[:-1] if isinstance(command, NodeCommand) else command)

    def begin(self) -> None:
        """Queue the commands. Their answers arrive while the caller does other things."""
        self._request = self._line.begin(self._sent)

    def finish(self) -> bool:
        """Store the answers in the call. Return whether the node answered, or is known to be no master."""
        answered = True
        try:
            if self._request is None:
                answers = self._line.run(self._sent)
            else:
                answers = self._line.finish(self._request)
        except _LOST as error:
            answered = isinstance(error, NotSent)
            answers = [error] * len(self._sent)
        for index, place in zip(self._indexes, self._places, strict=True):
            self._call.answers[index] = answers[place]
        return answered
