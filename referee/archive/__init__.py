"""The archive: finished matches in immutable segments outside Redis.

    segment   the format of a segment. Pure
    objects   the object store: a local folder or S3
    redis     the register of segments in Redis, and what finished matches leave besides
    reader    reads archived matches and lists
    archiver  writes segments, removes matches from Redis, and verifies

A match moves in steps, each safe to repeat, so that a process killed anywhere loses nothing:

1. A segment of records that follow one another in the chain is written, create-only, under a name that follows from its
   content.
2. It is read back and compared with what Redis has.
3. The register appends it, if no other segment has taken these numbers meanwhile.
4. Each match in Redis is compared once more. The index (`referee.archive_index`) gets its places: in the segment, in
   the chain and in every list. It also gets what the match leaves besides (`Leftovers`).
5. All of that is removed from Redis. Readers look there first, and then in the index.
"""
