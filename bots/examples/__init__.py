"""Example bots to copy. `search_bot` imports the search, and the others only the client."""
