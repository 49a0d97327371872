"""Benchmarks of rules and house bots inside one process."""
