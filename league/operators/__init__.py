"""What operators may change, and the audit log of it."""
