"""Everything that spans several matches: owners, bots, tokens, ladders, rounds and ratings.

`server.container.league` creates the parts and connects them. docs/architecture.md says which package holds what.
"""
