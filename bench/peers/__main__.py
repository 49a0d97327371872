"""`make bench-peers`: print the tables of Kozyr beside its peers."""

from bench.peers.report import report

if __name__ == "__main__":
    print("\n".join(report()))
