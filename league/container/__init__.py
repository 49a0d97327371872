"""The services of a process, created when they are first used and connected with each other.

`RefereeContainer` has what runs matches, and `LeagueContainer` adds the league. The API, the site, the workers and the
commands use one container each. Tests build their worlds on them, so a dependency is wired once.
"""
