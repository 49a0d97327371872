"""Digests, chain and signatures of records."""
