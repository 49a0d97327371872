-- A group's outcome enters the log of its preset. What stands after it there is to be rated again.
--
-- KEYS 1 head  2 log (zset of group ids by end)  3 outcomes  4 … logs of its bots
-- ARGV 1 group  2 end  3 outcome (JSON)
-- returns 1, 0 if this very outcome is there already, or -1 if there is another one of this group, which is to leave the
--         log first (rating_remove.lua), since others may have played in it; nothing has changed then
local known = redis.call('HGET', KEYS[3], ARGV[1])
if known then return known == ARGV[3] and 0 or -1 end
for i = 4, #KEYS do redis.call('ZADD', KEYS[i], ARGV[2], ARGV[1]) end
redis.call('ZADD', KEYS[2], ARGV[2], ARGV[1])
redis.call('HSET', KEYS[3], ARGV[1], ARGV[3])
-- The first so many groups of the log are rated: those before the place that it takes.
local rated = tonumber(redis.call('HGET', KEYS[1], 'rated') or '0')
redis.call('HSET', KEYS[1], 'rated', math.min(rated, redis.call('ZRANK', KEYS[2], ARGV[1])))
redis.call('HINCRBY', KEYS[1], 'version', 1)
return 1
