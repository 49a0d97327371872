"""Ladders, seasons, schedules and standings."""
