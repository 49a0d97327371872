-- A group's outcome enters the log of its preset. What stands after it there is to be rated again.
--
-- KEYS 1 head  2 log (zset of group ids by end)  3 outcomes  4 … logs of its bots
-- ARGV 1 group  2 end  3 outcome (JSON)
-- returns 1, or 0 if this very outcome is there already; nothing has changed then
if redis.call('HGET', KEYS[3], ARGV[1]) == ARGV[3] then return 0 end
-- The first so many groups of the log are rated: those before the place that it leaves, and before the one it takes.
local rated = tonumber(redis.call('HGET', KEYS[1], 'rated') or '0')
local left = redis.call('ZRANK', KEYS[2], ARGV[1])
if left then rated = math.min(rated, left) end
for i = 4, #KEYS do redis.call('ZADD', KEYS[i], ARGV[2], ARGV[1]) end
redis.call('ZADD', KEYS[2], ARGV[2], ARGV[1])
redis.call('HSET', KEYS[3], ARGV[1], ARGV[3])
rated = math.min(rated, redis.call('ZRANK', KEYS[2], ARGV[1]))
redis.call('HSET', KEYS[1], 'rated', rated)
redis.call('HINCRBY', KEYS[1], 'version', 1)
return 1
