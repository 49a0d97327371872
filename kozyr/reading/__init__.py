"""Files of records: reading, writing and verifying them."""
