"""Ratings: how strong each bot is."""
