"""Pairing: which bots meet, and in which seats. Pure."""
