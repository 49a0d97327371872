-- Move a match from a bot's active matches to its finished ones. It gets the next number there, once. Needs
-- reservations.lua.
--
-- KEYS 1 active matches of the bot (set)
--      2 finished matches of the bot (zset by number)
--      3 number of the bot's last finished match (counter)
--      4 version of the bot's match lists (counter)
--      5 reserved slots of the bot (zset)
-- ARGV 1 match id
--      2 how many finished matches to keep
--      3 how long to keep them and the counters from now on, in ms, '' for ever
-- returns 1 if the match was new among the finished ones, else 0
local active_key, finished_key, number_key, version_key, reserved_key = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local match, kept, kept_ms = ARGV[1], tonumber(ARGV[2]), ARGV[3]

redis.call('SREM', active_key, match)
drop_reservations(reserved_key, match)
if redis.call('ZSCORE', finished_key, match) then return 0 end
local number = redis.call('INCR', number_key)
redis.call('ZADD', finished_key, number, match)
redis.call('ZREMRANGEBYRANK', finished_key, 0, -kept - 1)
redis.call('INCR', version_key)
if kept_ms ~= '' then
  for _, key in ipairs({finished_key, number_key, version_key}) do redis.call('PEXPIRE', key, kept_ms) end
end
return 1
