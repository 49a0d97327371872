"""`make bench`: how fast things are, always as ratios within one run, the median of several rounds."""
