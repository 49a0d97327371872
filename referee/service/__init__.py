"""The state of the service, the heartbeats of its processes, and its readiness."""
