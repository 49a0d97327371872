"""Ladders: settings and entries, seasons, schedules, standings."""
