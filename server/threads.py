"""Long calls in other threads, so that the requests of this one go on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gevent

from referee.errors import Busy


def in_thread(call: Callable[[], Any]) -> Any:
    """Return the result of a call in another thread. Raise `Busy` if the system refuses a thread; a later one may be
    granted."""
    try:
        begun = gevent.get_hub().threadpool.spawn(call)
    except RuntimeError as refusal:
        raise Busy("the machine has no thread left for this; send it again") from refusal
    return begun.get()
