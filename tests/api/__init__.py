"""The API over a real Redis, by Flask's test client."""
