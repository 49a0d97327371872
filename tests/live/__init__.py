"""Tests of the real processes, over real HTTP and a real Redis."""
