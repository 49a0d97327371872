"""Owners, bots, tokens and ladders: what goes beyond one match."""
