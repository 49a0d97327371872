"""Administration: what operators may change, and the audit log of their actions."""
