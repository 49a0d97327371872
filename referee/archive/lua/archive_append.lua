-- Append a segment to the register, if it follows the last archived record.
--
-- KEYS 1 number of the last archived record (string)
--      2 segments (list of JSON)
--      3 match ids of the records that are not archived yet, in chain order (list)
-- ARGV 1 number of the segment's first record
--      2 number of its last record
--      3 the segment (JSON)
-- returns 1, or 0 if another segment took these numbers; then nothing has changed
local archived_key, segments_key, ids_key = KEYS[1], KEYS[2], KEYS[3]
local first, last, segment = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3]

local archived = tonumber(redis.call('GET', archived_key) or '0')
if archived ~= first - 1 then return 0 end
redis.call('RPUSH', segments_key, segment)
redis.call('SET', archived_key, string.format('%.0f', last))
redis.call('LTRIM', ids_key, last - archived, -1)
return 1
