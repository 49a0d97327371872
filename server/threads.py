"""Long calls in other threads, so that the requests of this one go on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gevent

from referee.errors import Busy


def in_thread(call: Callable[[], Any]) -> Any:
    """Return the result of a call in another thread, or raise its error. Raise `Busy` if the system refuses a thread;
    a later one may be granted."""

    failed: list[Exception] = []

    def caught() -> Any:
        # gevent prints the traceback of each error that leaves the thread, also of a refusal such as `NothingToPlay`.
        try:
            return call()
        except Exception as error:
            failed.append(error)

    try:
        begun = gevent.get_hub().threadpool.spawn(caught)
    except RuntimeError as refusal:
        raise Busy("the machine has no thread left for this; send it again") from refusal
    result = begun.get()
    if failed:
        raise failed[0]
    return result
