"""Ladders of a service, seen and set from the command line, over HTTP alone: what `kozyr ladder` does."""
