"""RQ jobs and the deadline loop."""
