"""A match: one or more deals by the same players in the same seats, as one list of moves.

Chance is a player: while `to_move` is `CHANCE` the match waits for a deck. King's twelve deals need no case of
their own: the number of deals is the game's or the match's, and that is all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple, Self

from engine.cards import CARD_OF_TEXT, CARD_TEXT
from engine.game import CHANCE, NOBODY, BadTable, Event, Game, IllegalMove, Move, NotAMove, Refusal

MOST_DEALS: Final = 1000


class MatchState(NamedTuple):
    """A match between two moves. `deal` is the deal in progress, the last one when the match is over, and
    `None` while chance is to move."""

    number: int
    """The deal in progress or about to be dealt, from 1."""
    dealer: int
    scores: tuple[int, ...]
    """The sums of the deals that are over."""
    deal: Any
    over: bool

    @property
    def to_move(self) -> int:
        """The seat asked, `CHANCE`, or `NOBODY` when the match is over."""
        if self.over:
            return NOBODY
        return CHANCE if self.deal is None else int(self.deal.to_move)


class Match:
    """The rules of a match: a game at a table, a number of deals and the first dealer. Keeps no state."""

    def __init__(self, game: Game, deals: int | None = None, dealer: int = 0) -> None:
        """Raises `BadTable` for a number of deals or a dealer that the game does not have."""
        self.game = game
        self.deals = checked_deals(type(game), deals)
        if not 0 <= dealer < game.seats:
            raise BadTable("dealer", dealer, f"a seat, 0 to {game.seats - 1}")
        self.dealer = dealer

    @classmethod
    def agreed(cls, game: Game, deals: int, dealer: int = 0) -> Self:
        """The rules of a match that was made with this number of deals, one that `checked_deals` returned.

        Raises `BadTable` for another number or a dealer that the game does not have.
        """
        match = cls(game, deals if game.fixed_deals is None else None, dealer)
        if match.deals != deals:
            raise BadTable("deals", deals, str(match.deals))
        return match

    def begin(self) -> MatchState:
        """The match before its first deck."""
        return MatchState(1, self.dealer, (0,) * self.game.seats, None, False)

    def deal(self, state: MatchState, deck: Sequence[int]) -> MatchState:
        """The state after chance's move. Raises `IllegalMove` when chance is not to move, and `BadDeck`."""
        if state.to_move != CHANCE:
            raise IllegalMove("no deck is asked for now")
        return state._replace(deal=self.game.deal(state.number, state.dealer, deck))

    def play(self, state: MatchState, seat: int, move: Move) -> MatchState:
        """The state after a seat's answer or free move. Raises `IllegalMove`."""
        if state.deal is None or state.over:
            raise IllegalMove("the match is over" if state.over else "the cards are not dealt yet")
        deal = self.game.play(state.deal, seat, move)
        if deal.to_move != NOBODY:
            return state._replace(deal=deal)
        return self._close(state, deal, self.game.returns(deal))

    def cut_short(self, state: MatchState, forfeited: Sequence[int]) -> MatchState:
        """The match ended by forfeits: the deal in progress scores as `Game.cut_short` says, deals not begun
        score nothing."""
        if state.deal is None or state.over:
            return state._replace(over=True)
        points = self.game.cut_short(state.deal, forfeited)
        return state._replace(scores=_sum(state.scores, points), over=True)

    def answers(self, state: MatchState, seat: int, move: Move) -> bool:
        """Whether this move answers the question now asked (an `exchange` mostly does not)."""
        return state.to_move == seat and move in state.deal.legal

    def legal(self, state: MatchState, seat: int) -> tuple[Move, ...]:
        """The answers to the question asked of `seat`; empty if it is not asked."""
        if state.deal is None or state.over or state.deal.to_move != seat:
            return ()
        answers: tuple[Move, ...] = state.deal.legal
        return answers

    def free(self, state: MatchState, seat: int) -> tuple[Move, ...]:
        """The moves that `seat` may make now, on turn or off, and that answer no question."""
        return () if state.deal is None or state.over else self.game.free_moves(state.deal, seat)

    def legal_texts(self, state: MatchState, seat: int) -> list[str]:
        """The texts of `legal`, in the same order."""
        return [self.game.text(state.deal, move) for move in self.legal(state, seat)]

    def free_texts(self, state: MatchState, seat: int) -> list[str]:
        """The texts of `free`, in the same order."""
        return [self.game.text(state.deal, move) for move in self.free(state, seat)]

    def text(self, state: MatchState, move: Move) -> str:
        """The text of a legal move."""
        return self.game.text(state.deal, move)

    def parse(self, state: MatchState, seat: int, text: str) -> Move:
        """The legal move of `seat` with this text. Raises `NotAMove` or `IllegalMove`."""
        if state.deal is None or state.over:
            raise IllegalMove("the match is over" if state.over else "the cards are not dealt yet")
        return self.game.parse(state.deal, seat, text)

    def observe(self, state: MatchState, seat: int | None) -> dict[str, Any]:
        """The game's observation with what the match adds: game, deal number, dealer, scores so far."""
        seen: dict[str, Any] = {
            "game": self.game.id,
            "deal": state.number,
            "deals": self.deals,
            "dealer": state.dealer,
            "scores": list(state.scores),
        }
        if state.deal is not None:
            seen.update(self.game.observe(state.deal, seat))
        return seen

    def view(self, state: MatchState, seat: int | None) -> dict[str, Any]:
        """What `observe` shows, with `legal_moves` and `free_moves`; both empty for a spectator."""
        seen = self.observe(state, seat)
        seen["legal_moves"] = [] if seat is None else self.legal_texts(state, seat)
        seen["free_moves"] = [] if seat is None else self.free_texts(state, seat)
        return seen

    def deal_events(self, after: MatchState) -> list[Event]:
        """What the table notices of chance's move."""
        return self.game.deal_events(after.deal)

    def events(self, before: MatchState, seat: int, move: Move, after: MatchState) -> list[Event]:
        """What the table notices of a move: the move, what the game adds, and the end of the deal."""
        said: dict[str, Any] = {"type": "move", "seat": seat, "move": self.game.text(before.deal, move)}
        deal = after.deal if after.deal is not None else self.game.play(before.deal, seat, move)
        found = [Event(said), *self.game.events(before.deal, seat, move, deal)]
        if deal.to_move == NOBODY:
            found.append(
                Event(
                    {
                        "type": "deal_over",
                        "deal": before.number,
                        "returns": list(self.game.returns(deal)),
                        "scores": list(after.scores),
                    }
                )
            )
        return found

    def _close(self, state: MatchState, deal: Any, points: tuple[int, ...]) -> MatchState:
        scores = _sum(state.scores, points)
        if state.number == self.deals:
            return MatchState(state.number, state.dealer, scores, deal, True)
        return MatchState(state.number + 1, self.game.next_dealer(deal), scores, None, False)


def checked_deals(game: type[Game], deals: int | None) -> int:
    """The number of deals of a match for which somebody asks for `deals`, or names none.

    A ladder, a group or a match asks here once, when it is made, and keeps the answer (`Match.agreed`). Raises
    `BadTable`, for every number too where the rules fix it.
    """
    if game.fixed_deals is not None:
        if deals is not None:
            raise BadTable("deals", deals, f"no number: a match of {game.id} is its {game.fixed_deals} deals")
        return game.fixed_deals
    if deals is None:
        return 1
    if type(deals) is not int or not 1 <= deals <= MOST_DEALS:
        raise BadTable("deals", deals, f"a whole number from 1 to {MOST_DEALS}")
    return deals


def deck_text(deck: Sequence[int]) -> str:
    """Chance's move as text: `deal 6H TD …`."""
    return "deal " + " ".join([CARD_TEXT[card] for card in deck])


def parse_deck(text: str) -> tuple[int, ...]:
    """The deck of chance's move. Raises `NotAMove`; whether it is the game's pack is for `Game.deal` to say."""
    verb, *cards = text.split(" ")
    if verb != "deal" or not all(card in CARD_OF_TEXT for card in cards):
        raise NotAMove("chance's move is `deal` and the whole pack, as in `deal 6H TD …`")
    return tuple(CARD_OF_TEXT[card] for card in cards)


def _sum(scores: tuple[int, ...], points: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(score + point for score, point in zip(scores, points, strict=True))


__all__ = ["Match", "MatchState", "Refusal", "checked_deals", "deck_text", "parse_deck"]
