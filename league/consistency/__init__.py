"""Contradictions between the stored matches and what follows from them, and their repair."""
