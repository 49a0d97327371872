"""The deadline loop of the clock process, and RQ jobs."""
