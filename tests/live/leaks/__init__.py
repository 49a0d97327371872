"""Twin worlds: the same matches in two live services, on decks that differ in what one viewer may not see."""
