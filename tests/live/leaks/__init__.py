"""Twin worlds: the same matches in two live services, with decks that differ only in cards hidden from a viewer."""
