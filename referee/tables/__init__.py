"""Sorted tables in the object store: where finished matches and what they leave are looked up.

    table   the format of one table. Pure
    store   the ports: objects, the manifest, and the look-ups that other packages need
    cache   what a process keeps of tables, bounded by bytes
    files   the tables in the object store
    index   look-ups and scans over all tables, new tables
    merging merging tables in bounded steps
    redis   the manifest in Redis

Tables are immutable, and no name is used twice. A newer one overrides the keys of older ones, and merging keeps their
number small (a log-structured merge tree, O'Neil and others 1996). So Redis holds the manifest alone, whatever was ever
played.
"""
