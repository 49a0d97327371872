"""A bot's loop: request bodies, the first round trip, the pipeline of moves with its side effects, the faults of
conformance checks, and the log of watched requests."""
