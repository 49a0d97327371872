"""Whether the service runs, drains or is paused."""
