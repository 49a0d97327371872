-- Moves the due instant of a ladder, unless it changed since it was read.
--
-- KEYS: the schedule (zset of ladder ids by due instant)
-- ARGV: the ladder id; the instant as read; the new instant, or '' to remove the ladder
-- Returns 1, or 0 if the instant changed; then nothing is written.
local schedule_key = KEYS[1]
local ladder, seen, due = unpack(ARGV)

local stored = redis.call('ZSCORE', schedule_key, ladder)
if not stored or tonumber(stored) ~= tonumber(seen) then return 0 end
if due == '' then redis.call('ZREM', schedule_key, ladder) else redis.call('ZADD', schedule_key, due, ladder) end
return 1
