"""The page that compares the tables of a duplicate group."""

from __future__ import annotations

from typing import Any, Final

from flask import request

from api.services import services
from records.match.frames import Hands
from records.match.loaded_match import LoadedMatch
from records.page.table import table_data, whole
from records.page.words import TableText
from referee.errors import GroupRunning
from referee.groups.model import Group, GroupStatus
from web.compare import ComparedTable, divergence, swings
from web.pages import Pages, show
from web.services import site
from web.session import viewer

pages = Pages("site_compare", __name__)
TABLES: Final = 4
"""The tables of a page."""
_MOST_FRAMES: Final = 20_000


@pages.page("/groups/<group>/compare")
def compare_group(group: str) -> str:
    """Show a deal at the tables of a group side by side, once everybody may see the group."""
    found = services().groups.get(group)
    loaded_matches = _played(found)
    deals = max((loaded.progress.number for loaded in loaded_matches), default=1)
    deal = min(max(1, whole(request.args.get("deal"), deals) or 1), deals)
    first = min(whole(request.args.get("table"), len(loaded_matches)) or 0, max(0, len(loaded_matches) - 1))
    tables = [_table(loaded, deal) for loaded in loaded_matches[first : first + TABLES]]
    return show(
        "compare.html",
        group=found,
        tables=tables,
        shown=[_data(table) for table in tables],
        apart=divergence(tables),
        swings=swings(tables),
        text=TableText(viewer().language, [], game=found.game),
        deal=deal,
        deals=deals,
        first=first,
        count=len(loaded_matches),
        step=TABLES,
    )


def _played(group: Group) -> list[LoadedMatch]:
    """Return the matches of a group by table, without void ones. Raise `GroupRunning` before all may be read."""
    (progress,) = services().groups.store.progress([group.id])
    if progress.status is GroupStatus.RUNNING:
        raise GroupRunning(f"group {group.id} is not over yet")
    referee = services().referee
    found = referee.look_at(services().groups.matches(group))
    loaded_matches = [
        loaded for loaded in found if loaded is not None and loaded.finished and not loaded.void
    ]
    referee.records(loaded_matches)  # raises unless all of them may be read
    return loaded_matches


def _table(loaded: LoadedMatch, deal: int) -> ComparedTable:
    language = viewer().language.code
    return site().compared.table(loaded.id, deal, language, lambda: _made(loaded, deal))


def _made(loaded: LoadedMatch, deal: int) -> ComparedTable:
    seats = [seat.bot if seat else "–" for seat in loaded.config.seats]
    frames = services().referee.frames(loaded, Hands.ALL, 0, _MOST_FRAMES, deal=deal)
    assert loaded.config.group is not None, "it is a match of the group"
    text = TableText(viewer().language, seats, game=loaded.config.game)
    return ComparedTable.made(loaded.id, text, deal, frames, loaded.config.group.suits)


def _data(table: ComparedTable) -> dict[str, Any]:
    """Return what `static/table.js` reads for one of the tables."""
    return table_data(table.text.to_json(), all=True, frames=table.frames)
