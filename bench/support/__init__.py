"""What the sections of the benchmarks share: services, load, and the constant route beside which they are measured."""
