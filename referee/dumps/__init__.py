"""Monthly dumps: the records of a month, its matches and its decisions, as files that anybody may download.

    months   months and the rule that says which dump has a match. Pure
    columns  the tables of a dump and their Arrow schemas
    rows     rows of these tables from a record. Pure
    pieces   pieces of files, and the files made of them
    card     the dataset card and the checksums. Pure
    store    values: published dumps, and the one that is being written
    redis    both in Redis; lists dumps and reads their files
    writer   writes dumps from the segments of the archive

A dump is written in steps of about a second. Each reads some records of the archive, stores what they become as
objects under content-derived names, and then moves the draft in Redis forward by compare-and-set. So every step may be
repeated or interrupted anywhere. The last step publishes the dump, which never changes again.

The archive holds readable matches alone, so a dump has no match of a group that still runs.
"""
