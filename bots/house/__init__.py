"""The bots that are always on; they import the engine alone."""
