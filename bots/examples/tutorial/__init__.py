"""The programs of docs/tutorial.md, each better than the one before."""
