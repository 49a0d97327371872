"""Structured logs that hold no secret."""
