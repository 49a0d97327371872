"""Mistake reviews: an evaluation of each decision of a finished match, from what its seat knew."""
