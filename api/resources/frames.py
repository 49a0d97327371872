"""The frames of a match: what a page or a program needs to show it step by step."""

from __future__ import annotations

from typing import Any

from flask import Response

from api import auth
from api.blueprint import Blueprint
from api.contract.describe import ResponseSpec, describe
from api.problems import Problem
from api.resources.matches import look
from api.schemas.frames import FramesQuery
from api.services import services
from api.wire import answer
from records.match.frames import Hands, Viewer, coded
from records.match.loaded_match import LoadedMatch

blueprint = Blueprint("frames", __name__, description="Matches, step by step.")

Body = dict[str, Any]


@blueprint.route("/v1/matches/<match>/frames")
@describe(
    "listFrames",
    {200: ResponseSpec("Frames after number `after`, oldest first", "FrameList")},
    token_optional=True,
    problems=["not_found", "no_such_match", "record_not_ready", "group_running", "events_not_ready"],
    query=FramesQuery,
)
def list_frames(query: Body, match: str) -> Response:
    """List the frames of a match: its events step by step, each with the table after it.

    The first frame of a response has the whole table, every other one the changes. Clients that show a match need
    no rules. A match that has not started has no frames.
    """
    own, loaded = auth.reader(), look(match)
    viewer = _viewer(loaded, loaded.config.seat_of(own), query.get("seat"))
    found = services().referee.frames(loaded, viewer, query["after"], query["limit"])
    last = loaded.finished and len(found) < query["limit"]
    seat = viewer.value if isinstance(viewer, Hands) else viewer
    return answer({"frames": list(coded(found)), "seat": seat, "over": last})


def _viewer(loaded: LoadedMatch, own: int | None, wanted: Viewer) -> Viewer:
    """Return whose view the caller gets. Raise `Problem`, `RecordNotReady` or `GroupRunning` if it may not."""
    referee, seats = services().referee, len(loaded.config.seats)
    if wanted not in (None, own):
        referee.record(loaded)
        if isinstance(wanted, int) and wanted >= seats:
            raise Problem("not_found", f"there is no seat {wanted}: the match has the seats 0 to {seats - 1}")
        return wanted
    if own is None:
        referee.check_open(loaded)
    return own
