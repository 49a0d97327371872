"""Peers of Kozyr, measured beside it by `make bench-peers`."""
