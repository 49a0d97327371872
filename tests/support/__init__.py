"""What several tests need: conditions to wait for, real servers."""
