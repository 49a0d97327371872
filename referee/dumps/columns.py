"""The tables of a dump: their columns, with what each means. Arrow schemas are made of them."""

from __future__ import annotations

from typing import Final, NamedTuple

import pyarrow as pa

INSTANT: Final = pa.timestamp("ms", tz="UTC")


class Column(NamedTuple):
    """A column of a table."""

    name: str
    type: pa.DataType
    meaning: str


MATCHES: Final = (
    Column("match", pa.string(), "id of the match; its record has the same `id`"),
    Column("number", pa.int64(), "number of the record in the hash chain"),
    Column("sha256", pa.string(), "digest of the record, which the chain covers"),
    Column("link", pa.string(), "link of the hash chain at this record"),
    Column("format", pa.int32(), "format of the record"),
    Column("game", pa.string(), "id of the game"),
    Column("options", pa.string(), "options of the game, as JSON"),
    Column("preset", pa.string(), "game, seats and special options: what is rated separately"),
    Column("rules", pa.string(), "version of the rules"),
    Column("seats", pa.int32(), "number of seats"),
    Column("deals", pa.int32(), "number of deals"),
    Column("rated", pa.bool_(), "whether the match was rated"),
    Column("void", pa.bool_(), "whether an operator had declared it void before this dump"),
    Column("ladder", pa.string(), "id of the ladder; null for a casual match"),
    Column("season", pa.int32(), "season of the ladder"),
    Column("round", pa.int32(), "round of the ladder"),
    Column("duplicate_group", pa.string(), "id of the duplicate group: its matches have the same decks"),
    Column("continues", pa.string(), "id of the match at one of whose positions this one began"),
    Column("clock_move_ms", pa.int64(), "time for a move before the bank is charged"),
    Column("clock_bank_ms", pa.int64(), "time in the bank of a seat at the start"),
    Column("clock_increment_ms", pa.int64(), "what each move adds to the bank"),
    Column("clock_grace_ms", pa.int64(), "time for the network that is never charged"),
    Column("clock_strikes", pa.int32(), "number of timeouts that forfeit a seat"),
    Column("started", INSTANT, "when the match started; null if it was aborted before"),
    Column("ended", INSTANT, "when the match ended"),
    Column("ending", pa.string(), "rules, forfeit, resigned, aborted or void"),
    Column("seat", pa.int32(), "the seat of this row, from 0"),
    Column("bot", pa.string(), "public name of the bot, `owner/bot`; null for an open seat"),
    Column("bot_id", pa.string(), "id of the bot"),
    Column("version", pa.string(), "version of the bot"),
    Column("house", pa.bool_(), "whether a house bot sat there"),
    Column("person", pa.bool_(), "whether a person played, on the web site"),
    Column("score", pa.int32(), "sum of the returns of the seat; 0 is best in most games"),
    Column("place", pa.int32(), "1 is first; equal scores share a place"),
    Column("forfeited", pa.bool_(), "whether the seat was forfeited"),
    Column("moves", pa.int32(), "number of moves that the player of the seat made"),
    Column("ms", pa.int64(), "time that these moves took"),
)
DECISIONS: Final = (
    Column("match", pa.string(), "id of the match"),
    Column("game", pa.string(), "id of the game"),
    Column("preset", pa.string(), "game, seats and special options"),
    Column("deal", pa.int32(), "number of the deal, from 1"),
    Column("move_number", pa.int32(), "number of the move in the deal, from 1"),
    Column("turn", pa.int32(), "number of the turn that it answers; null for a free move"),
    Column("seat", pa.int32(), "the seat that moved"),
    Column("bot", pa.string(), "public name of its bot"),
    Column("version", pa.string(), "version of the bot"),
    Column(
        "observation",
        pa.string(),
        "what the seat saw before the move, as JSON: the `observation` of its turn",
    ),
    Column("legal_moves", pa.list_(pa.string()), "moves that would have answered the turn"),
    Column("free_moves", pa.list_(pa.string()), "free moves that the seat could make"),
    Column("move", pa.string(), "the move"),
    Column("made_by", pa.string(), "player; timeout or forfeit: the referee made the move for the seat"),
    Column("ms", pa.int64(), "time that the move took; 0 for a free move"),
    Column("note", pa.string(), "the bot's own note on the move"),
    Column("returns", pa.list_(pa.int32()), "result of the deal by seat; null if it has none"),
    Column("deal_return", pa.int32(), "result of the deal for this seat"),
)


def schema_of(columns: tuple[Column, ...]) -> pa.Schema:
    """Return the Arrow schema of a table."""
    return pa.schema([(column.name, column.type) for column in columns])
