"""Commands of the command line, each in a module of its own; `kozyr.cli.main` registers them."""
