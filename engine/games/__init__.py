"""One file a game. A module here that defines a `Game` subclass with an `id` is registered by itself."""
