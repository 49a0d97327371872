"""Where matches are stored and listed: the ports and their Redis implementations."""
