"""Starter projects that `kozyr new-bot` writes: the templates of `clients/`, each with a copy of its client."""
