"""The line protocol: programs that read turns and write moves, one per line (docs/line-protocol.md)."""
