"""The tables of a dump: their columns, with what each means. Arrow schemas are made of them."""

from __future__ import annotations

from typing import Final, NamedTuple

import pyarrow as pa

INSTANT: Final = pa.timestamp("ms", tz="UTC")


class ParquetColumn(NamedTuple):
    """A column of a table."""

    name: str
    type: pa.DataType
    meaning: str


MATCHES: Final = (
    ParquetColumn("match", pa.string(), "id of the match; its record has the same `id`"),
    ParquetColumn("number", pa.int64(), "number of the record in the hash chain"),
    ParquetColumn("sha256", pa.string(), "digest of the record, which the chain covers"),
    ParquetColumn("link", pa.string(), "link of the hash chain at this record"),
    ParquetColumn("format", pa.int32(), "format of the record"),
    ParquetColumn("game", pa.string(), "id of the game"),
    ParquetColumn("options", pa.string(), "options of the game, as JSON"),
    ParquetColumn(
        "preset", pa.string(), "game, seats, special options, pace and assist: what is rated separately"
    ),
    ParquetColumn("rules", pa.string(), "version of the rules"),
    ParquetColumn("seats", pa.int32(), "number of seats"),
    ParquetColumn("deals", pa.int32(), "number of deals"),
    ParquetColumn("rated", pa.bool_(), "whether the match was rated"),
    ParquetColumn("void", pa.bool_(), "whether an operator had declared it void before this dump"),
    ParquetColumn("ladder", pa.string(), "id of the ladder; null for a casual match"),
    ParquetColumn("season", pa.int32(), "season of the ladder"),
    ParquetColumn("round", pa.int32(), "round of the ladder"),
    ParquetColumn(
        "duplicate_group", pa.string(), "id of the duplicate group: its matches have the same decks"
    ),
    ParquetColumn("continues", pa.string(), "id of the match at one of whose positions this one began"),
    ParquetColumn("clock_move_ms", pa.int64(), "time for a move before the bank is charged"),
    ParquetColumn("clock_bank_ms", pa.int64(), "time in the bank of a seat at the start"),
    ParquetColumn("clock_increment_ms", pa.int64(), "what each move adds to the bank"),
    ParquetColumn("clock_grace_ms", pa.int64(), "time for the network that is never charged"),
    ParquetColumn("clock_strikes", pa.int32(), "number of timeouts that forfeit a seat"),
    ParquetColumn("assist", pa.string(), "what the match showed of the legal moves: list, factored or none"),
    ParquetColumn("started", INSTANT, "when the match started; null if it was aborted before"),
    ParquetColumn("ended", INSTANT, "when the match ended"),
    ParquetColumn("ending", pa.string(), "rules, forfeit, resigned, aborted or void"),
    ParquetColumn("seat", pa.int32(), "the seat of this row, from 0"),
    ParquetColumn("bot", pa.string(), "public name of the bot, `owner/bot`; null for an open seat"),
    ParquetColumn("bot_id", pa.string(), "id of the bot"),
    ParquetColumn("version", pa.string(), "version of the bot"),
    ParquetColumn("house", pa.bool_(), "whether a house bot sat there"),
    ParquetColumn("person", pa.bool_(), "whether a person played, on the web site"),
    ParquetColumn("score", pa.int32(), "sum of the returns of the seat; 0 is best in most games"),
    ParquetColumn("place", pa.int32(), "1 is first; equal scores share a place"),
    ParquetColumn("forfeited", pa.bool_(), "whether the seat was forfeited"),
    ParquetColumn("moves", pa.int32(), "number of moves that the player of the seat made"),
    ParquetColumn("ms", pa.int64(), "time that these moves took"),
)
DECISIONS: Final = (
    ParquetColumn("match", pa.string(), "id of the match"),
    ParquetColumn("game", pa.string(), "id of the game"),
    ParquetColumn("preset", pa.string(), "game, seats, special options, pace and assist"),
    ParquetColumn("deal", pa.int32(), "number of the deal, from 1"),
    ParquetColumn("move_number", pa.int32(), "number of the move in the deal, from 1"),
    ParquetColumn("turn", pa.int32(), "number of the turn that it answers; null for a free move"),
    ParquetColumn("seat", pa.int32(), "the seat that moved"),
    ParquetColumn("bot", pa.string(), "public name of its bot"),
    ParquetColumn("version", pa.string(), "version of the bot"),
    ParquetColumn(
        "observation",
        pa.string(),
        "what the seat saw before the move, as JSON: the `observation` of its turn",
    ),
    ParquetColumn("legal_moves", pa.list_(pa.string()), "moves that would have answered the turn"),
    ParquetColumn("free_moves", pa.list_(pa.string()), "free moves that the seat could make"),
    ParquetColumn("move", pa.string(), "the move"),
    ParquetColumn(
        "made_by", pa.string(), "player; timeout or forfeit: the referee made the move for the seat"
    ),
    ParquetColumn("ms", pa.int64(), "time that the move took; 0 for a free move"),
    ParquetColumn("note", pa.string(), "the bot's own note on the move"),
    ParquetColumn("returns", pa.list_(pa.int32()), "result of the deal by seat; null if it has none"),
    ParquetColumn("deal_return", pa.int32(), "result of the deal for this seat"),
)


def schema_of(columns: tuple[ParquetColumn, ...]) -> pa.Schema:
    """Return the Arrow schema of a table."""
    return pa.schema([(column.name, column.type) for column in columns])
