-- A match that is about to be made takes one of a bot's places, if one is free.
--
-- KEYS 1 active matches of the bot (set)  2 matches about to be made (zset by the instant in ms at which they are forgotten)
-- ARGV 1 match id  2 how many places the bot has  3 how long a match may be about to be made, in ms
-- returns 1 when the match has a place, also from before; else 0, and nothing has changed
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', string.format('%.0f', now))
if redis.call('SISMEMBER', KEYS[1], ARGV[1]) == 1 then return 1 end
if not redis.call('ZSCORE', KEYS[2], ARGV[1]) then
  local taken = redis.call('SCARD', KEYS[1])
  for _, match in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do
    if redis.call('SISMEMBER', KEYS[1], match) == 0 then taken = taken + 1 end
  end
  if taken >= tonumber(ARGV[2]) then return 0 end
end
redis.call('ZADD', KEYS[2], string.format('%.0f', now + tonumber(ARGV[3])), ARGV[1])
return 1
