-- Add a match to a bot's active matches, unless it is among the finished ones. Needs reservations.lua.
--
-- KEYS 1 active matches of the bot (set)
--      2 finished matches of the bot (zset by number)
--      3 version of the bot's match lists (counter)
--      4 reserved slots of the bot (zset)
-- ARGV 1 match id
-- returns 1 if the match was new among the active ones, else 0
local active_key, finished_key, version_key, reserved_key = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local match = ARGV[1]

if redis.call('ZSCORE', finished_key, match) then return 0 end
drop_reservations(reserved_key, match)
redis.call('INCR', version_key)
return redis.call('SADD', active_key, match)
