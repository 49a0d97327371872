"""Moves of bots: request bodies, the pipeline of their side effects, and the faults of conformance checks."""
