"""Long polls: waiters, wake-ups and responses."""
