"""Ratings: the model, the rating book, anchors, and recomputation from records."""
