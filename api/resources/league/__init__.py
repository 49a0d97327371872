"""Handlers of ladders, rounds, seasons, standings, ratings and statistics."""
