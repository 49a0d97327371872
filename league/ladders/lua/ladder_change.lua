-- Changes a ladder's settings or state, unless they changed since they were read.
--
-- KEYS: the ladder (JSON)
-- ARGV: the ladder as read (JSON); the ladder to write (JSON)
-- Returns 1, or 0 if the ladder changed; then nothing is written.
local ladder_key = KEYS[1]
local before, after = unpack(ARGV)

if redis.call('GET', ladder_key) ~= before then return 0 end
redis.call('SET', ladder_key, after)
return 1
