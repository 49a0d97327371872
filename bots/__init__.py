"""The house bots, the search bot and the reviews of their play."""
