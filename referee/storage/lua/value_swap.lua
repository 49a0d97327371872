-- Replace a string or a field of a hash, unless it changed since it was read.
--
-- KEYS 1 string or hash
-- ARGV 1 value that was read
--      2 new value
--      3 field, '' for a string
-- returns 1, or 0 if the value changed; then nothing is written
local key, old, new, field = KEYS[1], ARGV[1], ARGV[2], ARGV[3]

local stored
if field == '' then stored = redis.call('GET', key) else stored = redis.call('HGET', key, field) end
if stored ~= old then return 0 end
if field == '' then redis.call('SET', key, new) else redis.call('HSET', key, field, new) end
return 1
