"""Owners, bots and tokens: who is it, and may they."""
