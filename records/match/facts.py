"""What a bot reports about a move beside the move itself. No turn, event or record contains it.

Nobody verifies the figures. Thoughts are private until everybody may read the match.
"""

from __future__ import annotations

from typing import Final, NamedTuple

MOST_THOUGHTS: Final = 8192
"""The longest thoughts on a move, in bytes of UTF-8."""
MOST_COUNT: Final = 10**9
"""The highest number of tokens, and of millionths of a dollar, of a move."""
USAGE: Final = ("input_tokens", "output_tokens", "cost_micro_usd")


class MoveFacts(NamedTuple):
    """What a bot reports about a move. `None` is unknown."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_micro_usd: int | None = None
    mended: tuple[str, ...] = ()
    """The mendings with which its client read the move (`records.words.reading`)."""
    thoughts: str = ""

    @property
    def usage(self) -> dict[str, int]:
        """The known figures by name."""
        return {name: value for name in USAGE if (value := getattr(self, name)) is not None}
