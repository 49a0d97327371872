"""Everything that spans several matches: owners, bots, tokens, ladders, rounds and ratings.

`league.container` creates the parts and connects them. docs/architecture.md says which package holds what.
"""
