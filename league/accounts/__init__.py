"""Owners, bots and tokens; what a bot accepts; idempotency keys and presence."""
