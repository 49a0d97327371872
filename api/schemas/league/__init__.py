"""The schemas of the league: ladders, rounds, seasons, standings and ratings."""
