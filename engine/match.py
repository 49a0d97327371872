"""A match: one or more deals by the same players in the same seats, recorded as one list of moves.

Chance is a player: while `to_move` is `CHANCE`, the match waits for a deck. King's twelve deals are no special
case, because either the game or the match sets the number of deals.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from random import Random
from typing import Any, Final, NamedTuple, Protocol, Self

from engine.cards import CARD_OF_TEXT, CARD_TEXT
from engine.game import CHANCE, NOBODY, BadTable, Event, Game, IllegalMove, Move, NotAMove, Refusal
from engine.quoting import quoted

MOST_DEALS: Final = 1000


class MatchState(NamedTuple):
    """A match between two moves."""

    number: int
    """The number of the deal in progress, or to be dealt next, from 1."""
    dealer: int
    scores: tuple[int, ...]
    """By seat, the sum of the finished deals."""
    deal: Any
    """The state of the deal in progress, or of the last deal of a finished match; `None` before a deck is dealt."""
    over: bool

    @property
    def to_move(self) -> int:
        """The seat to move, `CHANCE`, or `NOBODY` when the match is over."""
        if self.over:
            return NOBODY
        return CHANCE if self.deal is None else int(self.deal.to_move)


class Player(Protocol):
    """A bot that answers at once."""

    def pick(self, moves: int, rng: Random) -> int | None:
        """Return the place of a move for a bot that looks at nothing; `None` for a bot that has to `choose`.

        `moves` is the number of moves. Legal ones come before free ones.
        """

    def choose(
        self, game: Game, observation: Mapping[str, Any], legal_moves: Sequence[str], rng: Random
    ) -> str:
        """Return one of `legal_moves`, or one of the `free_moves` in the observation."""


PlayedMove = tuple[int, str, bool]
"""A move of a player: the seat, the text, and whether it is an answer and no free move."""


class Match:
    """The rules of a match: a game at a table, the number of deals and the first dealer. It is stateless."""

    def __init__(self, game: Game, deals: int | None = None, dealer: int = 0) -> None:
        """Raise `BadTable` for a number of deals or a dealer that the game does not support."""
        self.game = game
        self.deals = checked_deals(type(game), deals)
        if not 0 <= dealer < game.seats:
            raise BadTable("dealer", dealer, f"a seat, 0 to {game.seats - 1}")
        self.dealer = dealer

    @classmethod
    def agreed(cls, game: Game, deals: int, dealer: int = 0) -> Self:
        """Return the rules of a match whose number of deals came from `checked_deals`.

        Raise `BadTable` for any other number, or for a dealer that the game does not support.
        """
        match = cls(game, deals if game.fixed_deals is None else None, dealer)
        if match.deals != deals:
            raise BadTable("deals", deals, str(match.deals))
        return match

    def begin(self) -> MatchState:
        """Return the state before the first deck is dealt."""
        return MatchState(1, self.dealer, (0,) * self.game.seats, None, False)

    def deal(self, state: MatchState, deck: Sequence[int]) -> MatchState:
        """Return the state after chance's move. Raise `IllegalMove` if chance is not to move, or `BadDeck`."""
        if state.to_move != CHANCE:
            raise IllegalMove("the match does not wait for a deck")
        deal = self.game.deal(state.number, state.dealer, deck)
        return _state((state.number, state.dealer, state.scores, deal, False))

    def play(self, state: MatchState, seat: int, move: Move) -> MatchState:
        """Return the state after an answer or a free move of `seat`. Raise `IllegalMove`."""
        if state.deal is None or state.over:
            raise IllegalMove("the match is over" if state.over else "the cards are not yet dealt")
        deal = self.game.play(state.deal, seat, move)
        if deal.to_move != NOBODY:
            return _state((state.number, state.dealer, state.scores, deal, False))
        return self._close(state, deal, self.game.returns(deal))

    def play_on(
        self, state: MatchState, players: Sequence[Player | None], rng: Random, most: int
    ) -> tuple[MatchState, list[PlayedMove]]:
        """Let the players move until the deal is over, the seat to move has no player, or `most` moves are made.

        `players` has the player of each seat. Return the state after the moves, and the moves in order. Raise
        `NotAMove` or `IllegalMove` for what is no move of the player's seat.
        """
        game, deal = self.game, state.deal
        known = self._known(state)
        played: list[PlayedMove] = []
        while deal is not None and not state.over and len(played) < most:
            seat: int = deal.to_move
            player = players[seat]
            if player is None:
                break
            legal: Sequence[Move] = deal.legal
            free = game.free_moves(deal, seat)
            place = player.pick(len(legal) + len(free), rng)
            if place is None:
                texts = [game.text(deal, move) for move in legal]
                known["legal_moves"], known["free_moves"] = texts, [game.text(deal, move) for move in free]
                text = player.choose(game, game.glance(deal, seat, dict(known)), texts, rng)
                answers = text in texts
                move = legal[texts.index(text)] if answers else game.parse(deal, seat, text)
            else:
                answers = place < len(legal)
                move = legal[place] if answers else free[place - len(legal)]
                text = game.text(deal, move)
            deal = game.play(deal, seat, move)
            played.append((seat, text, answers))
            if deal.to_move == NOBODY:
                return self._close(state, deal, game.returns(deal)), played
        return _state((state.number, state.dealer, state.scores, deal, state.over)), played

    def cut_short(self, state: MatchState, forfeited: Sequence[int]) -> MatchState:
        """Return the match as forfeits end it.

        `Game.cut_short` scores the deal in progress. Deals that have not begun score nothing.
        """
        if state.deal is None or state.over:
            return state._replace(over=True)
        points = self.game.cut_short(state.deal, forfeited)
        return state._replace(scores=_sum(state.scores, points), over=True)

    def answers(self, state: MatchState, seat: int, move: Move) -> bool:
        """Return whether `move` is an answer of the seat to move, and no free move."""
        return state.to_move == seat and move in state.deal.legal

    def legal(self, state: MatchState, seat: int) -> Sequence[Move]:
        """Return the legal answers of `seat`; empty if it is not to move."""
        if state.deal is None or state.over or state.deal.to_move != seat:
            return ()
        answers: Sequence[Move] = state.deal.legal
        return answers

    def free(self, state: MatchState, seat: int) -> tuple[Move, ...]:
        """Return the free moves of `seat`, on turn or off."""
        return () if state.deal is None or state.over else self.game.free_moves(state.deal, seat)

    def legal_texts(self, state: MatchState, seat: int) -> list[str]:
        """Return the texts of `legal`, in the same order."""
        return [self.game.text(state.deal, move) for move in self.legal(state, seat)]

    def free_texts(self, state: MatchState, seat: int) -> list[str]:
        """Return the texts of `free`, in the same order."""
        return [self.game.text(state.deal, move) for move in self.free(state, seat)]

    def text(self, state: MatchState, move: Move) -> str:
        """Return the text of a legal move."""
        return self.game.text(state.deal, move)

    def parse(self, state: MatchState, seat: int, text: str) -> Move:
        """Return the legal move of `seat` with this text. Raise `NotAMove` or `IllegalMove`."""
        if state.deal is None or state.over:
            raise IllegalMove("the match is over" if state.over else "the cards are not yet dealt")
        if text != text.strip():
            raise NotAMove(
                f"{quoted(text)} has a blank at its {'end' if text != text.rstrip() else 'beginning'}"
            )
        return self.game.parse(state.deal, seat, text)

    def observe(self, state: MatchState, seat: int | None) -> dict[str, Any]:
        """Return the game's observation with the fields of the match: game, deal, deals, dealer and scores."""
        seen = self._known(state)
        if state.deal is not None:
            seen.update(self.game.observe(state.deal, seat))
        return seen

    def view(self, state: MatchState, seat: int | None) -> dict[str, Any]:
        """Return `observe` with `legal_moves` and `free_moves`. Both are empty for a spectator."""
        seen = self.observe(state, seat)
        seen["legal_moves"] = [] if seat is None else self.legal_texts(state, seat)
        seen["free_moves"] = [] if seat is None else self.free_texts(state, seat)
        return seen

    def deal_events(self, after: MatchState) -> list[Event]:
        """Return the events of chance's move."""
        return self.game.deal_events(after.deal)

    def events(self, before: MatchState, seat: int, move: Move, after: MatchState) -> list[Event]:
        """Return the events of a move: the move itself, the game's events, and the end of the deal."""
        public: dict[str, Any] = {"type": "move", "seat": seat, "move": self.game.text(before.deal, move)}
        deal = after.deal if after.deal is not None else self.game.play(before.deal, seat, move)
        events = [Event(public), *self.game.events(before.deal, seat, move, deal)]
        if deal.to_move == NOBODY:
            events.append(
                Event(
                    {
                        "type": "deal_over",
                        "deal": before.number,
                        "returns": list(self.game.returns(deal)),
                        "scores": list(after.scores),
                    }
                )
            )
        return events

    def _known(self, state: MatchState) -> dict[str, Any]:
        """Return the fields of an observation that are the same for all during a deal."""
        return {
            "game": self.game.id,
            "deal": state.number,
            "deals": self.deals,
            "dealer": state.dealer,
            "scores": list(state.scores),
        }

    def _close(self, state: MatchState, deal: Any, points: tuple[int, ...]) -> MatchState:
        scores = _sum(state.scores, points)
        if state.number == self.deals:
            return MatchState(state.number, state.dealer, scores, deal, True)
        return MatchState(state.number + 1, self.game.next_dealer(deal), scores, None, False)


def checked_deals(game: type[Game], deals: int | None) -> int:
    """Return the number of deals in a match for which the caller requests `deals`, or `None`.

    A ladder, group or match calls this once, when it is created, and keeps the result for `Match.agreed`. Raise
    `BadTable` for a number that is out of range, and for any number where the rules fix it.
    """
    if game.fixed_deals is not None:
        if deals is not None:
            raise BadTable("deals", deals, f"null: a match of {game.id} always has {game.fixed_deals} deals")
        return game.fixed_deals
    if deals is None:
        return 1
    if type(deals) is not int or not 1 <= deals <= MOST_DEALS:
        raise BadTable("deals", deals, f"a whole number from 1 to {MOST_DEALS}")
    return deals


def deck_text(deck: Sequence[int]) -> str:
    """Return chance's move as text: `deal 6H TD …`."""
    return "deal " + " ".join([CARD_TEXT[card] for card in deck])


def parse_deck(text: str) -> tuple[int, ...]:
    """Return the deck in chance's move. Raise `NotAMove`. `Game.deal` checks that it is the game's pack."""
    verb, *cards = text.split(" ")
    if verb != "deal" or not all(card in CARD_OF_TEXT for card in cards):
        raise NotAMove("chance's move is `deal` followed by the whole pack, as in `deal 6H TD …`")
    return tuple(CARD_OF_TEXT[card] for card in cards)


_state: Final = partial(tuple.__new__, MatchState)
"""Create a state from its fields in order. This is much faster than `MatchState(...)`."""


def _sum(scores: tuple[int, ...], points: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(score + point for score, point in zip(scores, points, strict=True))


__all__ = ["Match", "MatchState", "Refusal", "checked_deals", "deck_text", "parse_deck"]
