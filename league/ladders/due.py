"""The ladders that are due for something, one after another, so that a broken one does not stop the others."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Final

from league.errors import Overtaken
from league.ladders.model import RESULTS
from league.ladders.redis import RedisLadderStore
from referee.errors import Busy
from referee.object_store import ArchiveAway

RETRY_MS: Final = 60_000
"""When a ladder that failed is due again."""

REPORTED_AGAIN_MS: Final = 60_000
"""When the clock reports the result of a season again."""

log = logging.getLogger(__name__)


def each_due(store: RedisLadderStore, what: str, most: int, do: Callable[[str, int, int], None]) -> int:
    """Call `do` with each ladder that is due, its due instant and the current time, and return their number.

    A ladder that fails, or needs an archive that is away, is due again after `RETRY_MS`. One that faster writers
    changed stays due. Raise the errors of a store that is away.
    """
    now, found = store.due(what, most)
    for ladder_id, due in found:
        try:
            do(ladder_id, due, now)
        except (Busy, Overtaken) as error:
            log.info("%s of ladder %s: %s; trying again", what, ladder_id, error)
        except ArchiveAway as error:  # most ladders need nothing that is archived
            log.warning("%s of ladder %s: %s; trying again in a minute", what, ladder_id, error)
            store.move_due(what, ladder_id, due, now + RETRY_MS)
        except Exception as error:
            if store.is_away(error):
                raise
            log.exception("%s of ladder %s failed; trying again in a minute", what, ladder_id)
            store.move_due(what, ladder_id, due, now + RETRY_MS)
    return len(found)


def report_again(store: RedisLadderStore, ladder_id: str, season: int, version: int | None = None) -> None:
    """Let the clock publish a season's result again, and report this version of it. Call this before the commit after
    which it is published or reported, since the process may die right after the commit."""
    about = f"{ladder_id} {season}" if version is None else f"{ladder_id} {season} {version}"
    store.set_due(RESULTS, about, store.now() + REPORTED_AGAIN_MS)
