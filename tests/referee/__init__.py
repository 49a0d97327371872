"""The referee against a real Redis; time is moved by hand."""
