"""The rules of the games. Pure: standard library only, without clock, randomness, I/O or logging."""
