"""Run the command line with `python -m kozyr.cli`."""

from kozyr.cli.main import main

main()
