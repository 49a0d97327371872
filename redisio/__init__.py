"""How Kozyr talks to Redis: one pipelining connection, scripts and channel names."""
