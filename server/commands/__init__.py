"""Commands for operators: they work on the data of the service, with its settings."""
