"""Commands for bot authors: owners, bots, tokens, matches, and the bridge. `kozyr.cli.main` registers them."""
