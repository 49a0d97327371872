"""Statistics of results, computed from records alone. Pure."""
