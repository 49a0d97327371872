"""The index of the archive: where finished matches and what they left are looked up.

    parquet   one file of the index: keys and values in Parquet, sorted by key
    manifest  in Redis, which files there are
    index     look-ups, lists, new files, and their compaction

Files are immutable, and no name is used twice. A *run* is one file or several that follow one another by key; a later
run overrides the keys of earlier ones. Compaction keeps the runs few. Redis holds the list of files alone, whatever was
ever played.

Segments are the truth of matches, and the *journal* that of all else: each write stores a copy of the entries that do
not follow from segments, and no journal file is ever deleted. So the index can be rebuilt (`ArchiveIndex.rebuild`).
"""
