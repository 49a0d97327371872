-- Brings an archived group's share of the totals back, unless it is here.
--
-- KEYS: the group's share (hash)
-- ARGV: its fields and values
-- Returns 1, or 0 if it is here; then nothing is written.
local share_key = KEYS[1]

if redis.call('EXISTS', share_key) == 1 then return 0 end
redis.call('HSET', share_key, unpack(ARGV))
return 1
