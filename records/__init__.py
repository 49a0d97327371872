"""A match in memory and its record: play, views, verification, points, ratings and reviews."""
