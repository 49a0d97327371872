"""Every game as an OpenSpiel Python game. Importing this module registers them, for example as `kozyr_durak`.

The parameters of a game are `seats`, `deals` (unless its rules fix the number), `dealer` (of the first deal),
`zero_sum` (unless it is) and its options. An empty text option takes the default for the table. In OpenSpiel's own
notation, quote a text that looks like a number, as in `kozyr_svoi_kozyri(lowest_rank='7')`.

Chance is explicit and deals card by card. Rewards come at the end of the match and are its scores. With `zero_sum`
they are the scores less their mean.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Final

import pyspiel

from adapters.encoding import Encoding
from adapters.table import AdapterPosition, AdapterTable, centred
from engine.game import CHANCE, NOBODY, Game
from engine.registry import GAMES

PREFIX: Final = "kozyr_"


def _defaults(cls: type[Game]) -> dict[str, Any]:
    """Return the parameters of a game with their defaults."""
    table = {"seats": cls.seat_counts[0], "dealer": 0}
    if cls.fixed_deals is None:
        table["deals"] = 1
    if not cls.zero_sum:
        table["zero_sum"] = False
    return {**table, **{name: _default(schema) for name, schema in cls.option_schemas.items()}}


def _default(schema: Mapping[str, Any]) -> Any:
    if "default" in schema:
        return schema["default"]
    assert schema["type"] == "string", "only a text option can have a default that depends on the table"
    return ""


def _game_type(cls: type[Game], *, zero_sum: bool) -> Any:
    utility = pyspiel.GameType.Utility
    return pyspiel.GameType(
        short_name=PREFIX + cls.id,
        long_name=cls.title["en"],
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=utility.ZERO_SUM if zero_sum else utility.GENERAL_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=max(cls.seat_counts),
        min_num_players=min(cls.seat_counts),
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=_defaults(cls),
    )


def _quoted(value: Any) -> Any:
    """Return the value, with quotes if OpenSpiel would parse the text as another type."""
    return (
        f"'{value}'"
        if isinstance(value, str) and re.fullmatch(r"[-+.\d]+|[Tt]rue|[Ff]alse", value)
        else value
    )


def _unquoted(value: Any) -> Any:
    return value[1:-1] if isinstance(value, str) and re.fullmatch(r"'.*'", value) else value


class KozyrGame(pyspiel.Game):
    """An OpenSpiel game at one table. Each registered game has its own subclass, with its `rules`."""

    rules: ClassVar[type[Game]]

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        """Raise `BadTable` for a table that the game does not support."""
        cls, defaults = self.rules, _defaults(self.rules)
        given = {**defaults, **{name: _unquoted(value) for name, value in (params or {}).items()}}
        options = {name: given[name] for name in cls.option_schemas if given[name] != ""}
        self.table = AdapterTable.get(cls.id, given["seats"], options, given.get("deals"), given["dealer"])
        self.encoding = Encoding(self.table)
        self.centres = given.get("zero_sum", False)
        """Whether the returns are the scores less their mean."""
        zero_sum, points, most = cls.zero_sum or self.centres, self.table.points, self.table.centred_bound
        info = pyspiel.GameInfo(
            num_distinct_actions=len(self.table.actions.texts),
            max_chance_outcomes=len(self.table.game.pack),
            num_players=self.table.game.seats,
            min_utility=-most if self.centres else float(points.worst),
            max_utility=most if self.centres else float(points.best),
            utility_sum=0.0 if zero_sum else None,
            max_game_length=self.table.most_moves,
        )
        changed = {name: _quoted(value) for name, value in given.items() if value != defaults[name]}
        super().__init__(_game_type(cls, zero_sum=zero_sum), info, changed)

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return _loaded, (str(self),)

    def new_initial_state(self) -> KozyrState:
        return KozyrState(self)

    def max_chance_nodes_in_history(self) -> int:
        return len(self.table.game.pack) * self.table.match.deals

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> KozyrObserver:
        if params:
            raise ValueError(f"observers take no parameters, got {params}")
        return KozyrObserver(self, iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False))


class KozyrState(pyspiel.State):
    """An OpenSpiel state. Unlike a position it is mutable."""

    def __init__(self, game: KozyrGame) -> None:
        super().__init__(game)
        self.position: AdapterPosition = game.table.start()

    def current_player(self) -> int:
        to_move = self.position.to_move
        if to_move == NOBODY:
            return int(pyspiel.PlayerId.TERMINAL)
        return int(pyspiel.PlayerId.CHANCE) if to_move == CHANCE else to_move

    def is_terminal(self) -> bool:
        return self.position.to_move == NOBODY

    def _legal_actions(self, player: int) -> list[int]:
        return self.position.legal()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        places = self.position.chances()
        return [(place, 1 / len(places)) for place in places]

    def _apply_action(self, action: int) -> None:
        self.position = self.position.after(action)

    def _action_to_string(self, player: int, action: int) -> str:
        return self.position.text(action)

    def returns(self) -> list[float]:
        """Return the scores of a finished match, and zeros before."""
        state = self.position.state
        if not state.over:
            return [0.0] * len(state.scores)
        return (
            centred(state.scores) if self.get_game().centres else [float(points) for points in state.scores]
        )

    def information_state_tensor(self, player: int = -1) -> list[float]:
        """Raise `ValueError`: a match has no bounded number of events, and one of fixed size would be too large."""
        raise ValueError(
            "these games have no information state tensor, only a string; for input of fixed size take "
            "observation_tensor, which does not remember the past"
        )

    def hides_state_from_agents(self) -> bool:
        """Tell Kaggle's harness to send agents no serialized state, which has the cards of all."""
        return True

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> KozyrState:
        """Return a random state that this player cannot distinguish from this one, for OpenSpiel's Python IS-MCTS."""
        state: KozyrState = self.get_game().new_initial_state()
        for action in self.position.determinization(player, sampler).history():
            state.apply_action(action)
        return state

    def __str__(self) -> str:
        return self.position.record()


class KozyrObserver:
    """An observer of a seat, or of a spectator if it has no private information.

    It gives the observation, or with perfect recall all events that the seat has seen. Without public information, it
    gives the fields in which the seat sees more than a spectator.
    """

    def __init__(self, game: KozyrGame, kind: Any) -> None:
        if kind.private_info == pyspiel.PrivateInfoType.ALL_PLAYERS:
            raise ValueError("no observer of these games sees the cards of all players")
        self._own = kind.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
        self._public = kind.public_info
        self._recall = kind.perfect_recall
        if not self._public and (self._recall or not self._own):
            raise ValueError("an observer without public information sees a player's own, without recall")
        self._encoding = game.encoding
        self.tensor: Any = None
        self.dict: dict[str, Any] = {}
        if not self._recall:
            self.tensor, self.dict = game.encoding.blank()

    def set_from(self, state: KozyrState, player: int) -> None:
        """Write the observation to `tensor` and thereby to its views in `dict`. Perfect recall has no tensor."""
        if self.tensor is not None:
            self.tensor.fill(0)
            self._encoding.write(self.dict, self._seen(state, player))

    def string_from(self, state: KozyrState, player: int) -> str:
        if self._recall:
            return state.position.information(player if self._own else None)
        return json.dumps(self._seen(state, player), ensure_ascii=False)

    def _seen(self, state: KozyrState, player: int) -> dict[str, Any]:
        position = state.position
        seen = position.observe(player if self._own else None)
        if self._public:
            return seen
        public = position.observe(None)
        return {name: value for name, value in seen.items() if value != public.get(name)}


def _loaded(text: str) -> Any:
    """Return the game with this text. The name of this function makes pickle import this module, which registers."""
    return pyspiel.load_game(text)


# Register classes, not functions: OpenSpiel releases its references after the interpreter has shut down, and releasing
# a function then aborts the process.
for _cls in GAMES.values():
    pyspiel.register_game(
        _game_type(_cls, zero_sum=_cls.zero_sum), type(f"Kozyr{_cls.__name__}", (KozyrGame,), {"rules": _cls})
    )
