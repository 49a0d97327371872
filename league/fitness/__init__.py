"""Conformance checks, health and statistics of bots: is a bot fit to play."""
