"""Starter projects that `kozyr new-bot` writes."""
