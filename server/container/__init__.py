"""The composition root: the only place that creates stores and services and connects them.

`RefereeContainer` wires matches, `LeagueContainer` adds accounts, ladders and ratings, and `Container` reads the
parameters of both from the settings. Tests build their worlds on the first two, so a dependency is wired once.
"""

from server.container.league import LeagueContainer
from server.container.options import ContainerOptions
from server.container.production import Container
from server.container.referee import RefereeContainer

__all__ = ["Container", "ContainerOptions", "LeagueContainer", "RefereeContainer"]
