"""The resources: a handler parses, calls and answers, in a few lines."""
