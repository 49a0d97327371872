"""One module for each game. The registry finds every `Game` subclass with an `id` that is defined here."""
