"""Settings, processes and servers."""
