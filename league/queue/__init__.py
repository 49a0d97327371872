"""Finding a game: the queue, and batches of matches that are created all or none."""
