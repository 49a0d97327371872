"""Backups of a running service, and their restoration. Both verify what they wrote."""
