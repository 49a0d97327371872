"""`kozyr ladder`: ladders of a service over HTTP, on the command line."""
