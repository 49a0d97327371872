"""The archive: finished matches in immutable segments outside Redis.

    segment   the format of a segment. Pure
    catalogue  the catalogue in Parquet. Pure
    objects   the object store: a local folder or S3
    store     the port of the register of segments, and pointers
    redis     that register in Redis
    reader    reads archived matches by their pointers
    archiver  writes segments, replaces stored matches by pointers, and verifies

A match moves in steps, each safe to repeat, so that a process killed anywhere loses nothing:

1. A segment of records that follow one another in the chain is written, create-only, under a name that follows from its
   content.
2. It is read back and compared with what Redis has.
3. The register appends it, if no other segment has taken these numbers meanwhile.
   Its part of the catalogue is written.
4. Each match in Redis is compared once more and replaced by a pointer to its place in the segment.
"""
