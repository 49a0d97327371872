"""Logs of a bot's requests, for its owner, while the owner watches."""
