"""The luck of the cards in single matches."""
