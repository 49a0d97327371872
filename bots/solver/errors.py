"""The ways in which a position has no solution."""


class TooLong(Exception):
    """The position needs more than the permitted number of nodes."""


class Unsolvable(ValueError):
    """The position has hidden cards, can't arise, or belongs to rules without a solver. The message says which."""


class HiddenCards(Unsolvable):
    """A seat can't know all hands."""
