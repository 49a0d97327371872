"""The web site: server-rendered pages beside the HTTP API, on the same services and in the same processes."""
