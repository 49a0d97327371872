"""Benchmarks of rounds, standings and what the service keeps."""
