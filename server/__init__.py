"""The processes of a running service and their supervisor."""
