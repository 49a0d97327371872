"""The same play with other suits: logs, moves and sessions, relabelled by a symmetry of the table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random
from typing import NoReturn

from engine.cards import CARD_OF_TEXT, CARD_TEXT, SUITS
from engine.match import Match, MatchState, deck_text, parse_deck
from engine.relabelling import Suits, relabelled
from records.match.log import Entry, parse_log
from records.match.session import MatchSession, match_of, replay, table_relabelled


def relabelled_move(moves: Sequence[str], text: str, suits: Suits) -> str:
    """Return the move among `moves` that a text becomes. In a batch, cards of one rank are listed by suit, so their
    order may change."""
    words = [_word(word, suits) for word in text.split(" ")]
    same = " ".join(words)
    return same if same in moves else next(move for move in moves if sorted(move.split(" ")) == sorted(words))


def relabelled_log(
    match: Match, state: MatchState, entries: Iterable[Entry], suits: Suits
) -> tuple[list[Entry], MatchState]:
    """Return the entries with other suits and the state after them. `match` and `state` have the new suits."""
    found: list[Entry] = []
    for entry in entries:
        if entry.by_chance:
            move = deck_text(relabelled(parse_deck(entry.move), suits))
        elif entry.is_move:
            moves = [*match.legal_texts(state, entry.seat), *match.free_texts(state, entry.seat)]
            move = relabelled_move(moves, entry.move, suits)
        else:
            move = entry.move
        found.append(entry._replace(move=move))
        state = replay(match, state, found[-1:])
    return found, state


def relabelled_session(session: MatchSession, suits: Suits) -> MatchSession:
    """Return a session that began with its match, with other suits. It can be looked at, and deals no further deck."""
    table = table_relabelled(session.match.game, suits)
    config = session.config._replace(options=dict(table.options))
    match = match_of(config, session.progress.first_dealer or 0)
    state, logs = match.begin(), list[str]()
    for log in (*session.closed, "".join(session.lines)):
        entries, state = relabelled_log(match, state, parse_log(log), suits)
        logs.append("".join([entry.line() for entry in entries]))
    found = MatchSession(config, session.progress, state, "", _no_deck, {}, Random())
    found.turn, found.bank, found.strikes = session.turn, list(session.bank), list(session.strikes)
    found.forfeits, found.closed = list(session.forfeits), logs[:-1]
    found.lines = logs[-1].splitlines(keepends=True)
    return found


def _no_deck(number: int) -> NoReturn:
    raise AssertionError("a relabelled session deals no deck")


def _word(word: str, suits: Suits) -> str:
    """Return a word of a move: a card or a declared suit becomes another one."""
    if word in SUITS:
        return SUITS[suits[SUITS.index(word)]]
    card = CARD_OF_TEXT.get(word)
    return word if card is None else CARD_TEXT[relabelled([card], suits)[0]]
