"""Benchmarks of the running service over HTTP."""
