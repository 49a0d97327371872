"""Where matches are stored and listed: the stores in Redis, and the values that they take and return."""
