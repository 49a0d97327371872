"""Long polls: who waits, what wakes them and what they get."""
