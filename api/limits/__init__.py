"""Rate limits, waiting limits and client addresses."""
