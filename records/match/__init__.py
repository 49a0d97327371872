"""One match as immutable values: config, progress, clock, log, session, views and record."""
