"""Run the command line with `python -m kozyr`."""

from kozyr.cli.main import main

main()
