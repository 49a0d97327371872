"""Comparisons of two bots on a service."""
