"""The package for bot authors: the client, the house bots and the examples."""
