"""The real processes over real HTTP and a real Redis."""
