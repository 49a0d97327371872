"""Tournaments on this machine, without a service: who plays, in which processes, and what is shown and kept."""
