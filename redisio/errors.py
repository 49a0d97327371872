"""The errors with which Redis refuses to serve."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from redis.exceptions import (
    AuthenticationError,
    AuthenticationWrongNumberOfArgsError,
    BusyLoadingError,
    ClusterDownError,
    MasterDownError,
    MovedError,
    NoPermissionError,
    NoScriptError,
    OutOfMemoryError,
    ReadOnlyError,
    RedisError,
    TryAgainError,
)
from redis.exceptions import ConnectionError as LostConnection
from redis.exceptions import TimeoutError as LateAnswer

UNAVAILABLE: Final = (LostConnection, LateAnswer)
"""The errors of an unavailable Redis."""


class NotServing(LostConnection):
    """Redis answers but can't serve: it is loading its file, full, a replica, or part of a broken cluster.

    Code that handles a lost connection handles this too, as redis-py does with LOADING.
    """

    def __init__(self, error: RedisError) -> None:
        super().__init__(f"Redis can't do this at present: {error}")
        self.word = error_word(error)
        """Redis's error code: `OOM`, `READONLY`, …"""


class NotReplicated(LostConnection):
    """A write was made, but a failover might lose it. Too few replicas confirmed it in time, or so late that another
    server may have become the master meanwhile. The message says which."""


class WaitRefused(NotReplicated):
    """A write was made by a server that lost its role before replicas had confirmed it."""


class NotSent(LostConnection):
    """The commands were not sent, because the connection is closed for good: the server is no longer a master."""

    def __init__(self) -> None:
        super().__init__("this connection to Redis is closed")


class OtherStore(LostConnection):
    """Redis answers, but its data are not those of this process, which therefore reads and writes nothing there."""

    detail: Final = (
        "the store has lost the data of this service, or holds others: the operator must restore them"
    )


class WrongServers(LostConnection):
    """All servers of an address answer, and each refuses this client whenever it asks (`is_refusal`)."""


class RefusedByRedis(RuntimeError):
    """Redis refuses this process, and will do so until its settings change. The message names the variable."""


class StoreFull(NotServing):
    """Redis refuses a write because its memory or its disk is full."""


# redis-py turns some error codes into classes and drops the code; others have no class.
_WORDS: Final[Mapping[type[RedisError], str]] = {
    BusyLoadingError: "LOADING",
    ClusterDownError: "CLUSTERDOWN",
    MasterDownError: "MASTERDOWN",
    NoScriptError: "NOSCRIPT",
    OutOfMemoryError: "OOM",
    ReadOnlyError: "READONLY",
    TryAgainError: "TRYAGAIN",
}
DEMOTED: Final = frozenset({"READONLY", "MASTERDOWN", "CLUSTERDOWN"})
"""The error codes of a server that is no longer the master, or may not be."""
_ERROR_WORD: Final = re.compile(
    r"(?:^|-)(BUSY|CLUSTERDOWN|LOADING|MASTERDOWN|MISCONF|NOREPLICAS|NOSCRIPT|OOM|READONLY|TRYAGAIN) "
)
_DISK_FULL: Final = "No space left on device"
"""The end of the MISCONF error when Redis can't append to its file."""


def error_word(error: RedisError) -> str:
    """Return the error code with which Redis refuses to serve, or `""` for an error in the command itself."""
    match = _ERROR_WORD.search(str(error))
    return match[1] if match else _WORDS.get(type(error), "")


_OTHER_KIND: Final = re.compile(r"cluster support disabled|^Protocol error")
"""Errors of a server that is no node of a cluster, or no Redis."""
_REFUSALS: Final = (
    WrongServers,
    AuthenticationError,
    AuthenticationWrongNumberOfArgsError,
    MovedError,
    NoPermissionError,
)


def is_refusal(error: RedisError) -> bool:
    """Return whether a server refuses the login or is of another kind than expected. Only other settings help."""
    return isinstance(error, _REFUSALS) or _OTHER_KIND.search(str(error)) is not None


def not_serving(error: RedisError) -> NotServing:
    """Return the `NotServing` to raise for an error that has an error word."""
    full = error_word(error) == "OOM" or _DISK_FULL in str(error)
    return StoreFull(error) if full else NotServing(error)


def why_not(error: RedisError) -> str:
    if isinstance(error, NotReplicated):
        return "too few replicas confirm writes"
    word = error.word if isinstance(error, NotServing) else error_word(error)
    full = " (storage_full)" if isinstance(error, StoreFull) else ""
    return f"Redis refuses to serve: {word}{full}" if word else "Redis does not answer"


def checked(answer: Any) -> Any:
    """Return the answer. Raise it if it is an error."""
    if isinstance(answer, RedisError):
        raise answer
    return answer
