"""A match round the rules: seats, turns, clocks, shuffles, records, and where they are stored."""
