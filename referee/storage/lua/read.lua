-- Read one consistent snapshot of a match.
--
-- KEYS 1 match (hash)
--      2 log of the deal in progress
--      3 clock of the bucket
--      4 finished match
--      5 annotations of the finished match (list)
--      6 grants of the bucket
-- returns what `read_snapshot` returns
local match_key, log_key, clock_key, finished_key, annotations_key, grants_key = unpack(KEYS)

return read_snapshot(match_key, log_key, clock_key, finished_key, annotations_key, grants_key)
