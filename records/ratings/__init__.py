"""Ratings: the model, and their computation from records."""
