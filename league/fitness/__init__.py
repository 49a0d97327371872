"""Fitness of bots: conformance checks, health, statistics."""
