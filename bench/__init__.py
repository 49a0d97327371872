"""`make bench`: benchmarks. Results are ratios within one run, medians of several rounds."""
