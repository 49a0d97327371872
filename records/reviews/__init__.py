"""Reviews: the mistakes of a finished match."""
