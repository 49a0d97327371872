"""Who meets whom, and at which seats. Pure."""
