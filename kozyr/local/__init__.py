"""Tournaments on this machine, without a service."""
