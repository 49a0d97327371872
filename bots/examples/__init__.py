"""Bots to copy from; they import the client alone."""
