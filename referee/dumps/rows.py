"""Rows of a dump's tables from the record of a match."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import orjson

from engine.match import Match, MatchState, parse_deck
from records.match.log import BY_CONTINUED, BY_FORFEIT, BY_PLAYER, BY_TIMEOUT, Entry, parse_log
from records.match.record import FORMAT, Record, preset_of_match, recorded_seat, rules_of_match
from records.match.session import Ending, match_of, places
from records.match.snapshot import Annotation, is_void
from records.match.views import annotation_view

Row = dict[str, Any]

_BY: Final = {BY_PLAYER: "player", BY_TIMEOUT: "timeout", BY_FORFEIT: "forfeit"}
_NO_SEAT: Final[Mapping[str, Any]] = {"bot": None, "id": None, "version": None}


class ChainedRecord(NamedTuple):
    """A record with its place in the chain and its annotations."""

    record: Record
    document: dict[str, Any]
    """The record as JSON."""
    number: int
    previous: bytes
    digest: bytes
    link: bytes
    annotations: Sequence[Annotation] = ()

    @property
    def match(self) -> str:
        """The id of the match."""
        return self.record.config.id

    @property
    def ended(self) -> int:
        """When the match ended, in ms since 1970."""
        return self.record.progress.ended or 0

    def line(self) -> bytes:
        """Return the record as `GET /v1/records` streams it, but without the signature, which is made for each read."""
        proof = {"number": self.number, "previous": self.previous.hex(), "link": self.link.hex()}
        document = {**self.document, "proof": proof}
        if self.annotations:
            document["annotations"] = [annotation_view(each) for each in self.annotations]
        return orjson.dumps(document, option=orjson.OPT_APPEND_NEWLINE)


def match_rows(chained: ChainedRecord) -> list[Row]:
    """Return a row for each seat of a match (`columns.MATCHES`)."""
    config, progress, _, log = chained.record
    entries = parse_log(log)
    placed = places(progress.scores, progress.forfeits)
    shared: Row = {
        "match": config.id,
        "number": chained.number,
        "sha256": chained.digest.hex(),
        "link": chained.link.hex(),
        "format": FORMAT,
        "game": config.game,
        "options": orjson.dumps(config.options, option=orjson.OPT_SORT_KEYS).decode(),
        "preset": preset_of_match(config),
        "rules": rules_of_match(config),
        "seats": len(config.seats),
        "deals": config.deals,
        "rated": config.rated,
        "void": is_void(progress, chained.annotations),
        "ladder": config.ladder,
        "season": config.season,
        "round": config.round,
        "duplicate_group": config.group and config.group.id,
        "continues": config.continues and config.continues.match,
        **{f"clock_{name}": value for name, value in config.clock.to_json().items()},
        "assist": config.assist,
        "started": progress.started,
        "ended": progress.ended,
        "ending": progress.ending,
    }
    rows = []
    for number, seat in enumerate(config.seats):
        sitting = _NO_SEAT if seat is None else recorded_seat(seat)
        own = [entry for entry in entries if entry.seat == number and entry.by == BY_PLAYER]
        rows.append(
            {
                **shared,
                "seat": number,
                "bot": sitting["bot"],
                "bot_id": sitting["id"],
                "version": sitting["version"],
                "house": config.is_house(number),
                "person": sitting.get("person", False),
                "score": progress.scores[number],
                "place": placed[number],
                "forfeited": number in progress.forfeits,
                "moves": len(own),
                "ms": sum(entry.ms for entry in own),
            }
        )
    return rows


def decision_rows(record: Record) -> Iterator[Row]:
    """Yield a row for each move of a seat (`columns.DECISIONS`), in order.

    Moves that a match repeats of the one that it continues are left out: that match has them. Raise
    `engine.game.Refusal` for moves that are no play of this match.
    """
    config, progress = record.config, record.progress
    match = match_of(config, progress.first_dealer or 0)
    state, moves, rows = match.begin(), 0, list[Row]()
    for entry in parse_log(record.log):
        if entry.by_chance:
            state, moves = match.deal(state, parse_deck(entry.move)), 0
        if entry.by_chance or not entry.is_move:
            continue
        moves += 1
        if entry.by != BY_CONTINUED:
            rows.append(_decision(record, match, state, entry, moves))
        before = state.scores
        state = match.play(state, entry.seat, match.parse(state, entry.seat, entry.move))
        if state.deal is None or state.over:
            yield from _with_returns(rows, before, state.scores)
            rows = []
    # A deal that forfeits ended has a result, one of a match without a result has none.
    cut_short = progress.ending in (Ending.FORFEIT, Ending.RESIGNED)
    yield from _with_returns(rows, state.scores, progress.scores if cut_short else None)


def _decision(record: Record, match: Match, state: MatchState, entry: Entry, number: int) -> Row:
    config = record.config
    seat = config.seats[entry.seat]
    seen = match.view(state, entry.seat)
    return {
        "match": config.id,
        "game": config.game,
        "preset": preset_of_match(config),
        "deal": state.number,
        "move_number": number,
        "turn": entry.turn or None,
        "seat": entry.seat,
        "bot": seat and seat.bot,
        "version": seat and seat.version,
        "observation": orjson.dumps(seen).decode(),
        "legal_moves": seen["legal_moves"],
        "free_moves": seen["free_moves"],
        "move": entry.move,
        "made_by": _BY[entry.by],
        "ms": entry.ms,
        "note": entry.note or None,
    }


def _with_returns(rows: list[Row], before: Sequence[int], after: Sequence[int] | None) -> Iterator[Row]:
    returns = (
        None if after is None else [score - earlier for earlier, score in zip(before, after, strict=True)]
    )
    for row in rows:
        yield {**row, "returns": returns, "deal_return": returns and returns[row["seat"]]}
