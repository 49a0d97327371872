"""Tests of the API over a real Redis, with Flask's test client."""
