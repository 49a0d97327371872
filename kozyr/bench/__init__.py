"""`kozyr bench`: an agent against anchors on fixed decks, and in positions with exact values (docs/bench.md)."""
