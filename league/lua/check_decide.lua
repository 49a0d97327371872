-- A check is decided: once, and its bot is in it no longer.
--
-- KEYS 1 matches of checks by bot  2 the check
-- ARGV 1 bot id  2 match of the check  3 verdict (JSON)
-- returns the verdict that stands, or nil where the check is no longer kept
if redis.call('EXISTS', KEYS[2]) == 0 then return false end
redis.call('HSETNX', KEYS[2], 'verdict', ARGV[3])
if redis.call('HGET', KEYS[1], ARGV[1]) == ARGV[2] then redis.call('HDEL', KEYS[1], ARGV[1]) end
return redis.call('HGET', KEYS[2], 'verdict')
