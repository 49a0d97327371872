"""A bot's loop: its WSGI application, request bodies, the pipeline of moves with its side effects, and the faults of
conformance checks."""
