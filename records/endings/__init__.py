"""Endgame sets: positions whose moves have exact values (docs/bench.md)."""
