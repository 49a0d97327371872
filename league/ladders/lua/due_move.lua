-- The due time of a ladder moves on, if it still is what the writer saw.
--
-- KEYS 1 the list (zset)
-- ARGV 1 ladder  2 instant that was seen  3 instant to set, '' to take the ladder from the list
-- returns 1, or 0 if somebody else was faster; nothing has changed then
local at = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not at or tonumber(at) ~= tonumber(ARGV[2]) then return 0 end
if ARGV[3] == '' then redis.call('ZREM', KEYS[1], ARGV[1]) else redis.call('ZADD', KEYS[1], ARGV[3], ARGV[1]) end
return 1
