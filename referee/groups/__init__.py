"""Duplicate groups: the same deck at several tables."""
