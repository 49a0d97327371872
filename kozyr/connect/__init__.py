"""The bridge: it connects a program that reads and writes lines to a service (docs/line-protocol.md)."""
