-- A bot's match is over: it gets the next number in the list of the bot's finished matches, once.
--
-- KEYS 1 active matches of the bot (set)  2 finished matches of the bot (zset by number)
--      3 how many were finished (counter)  4 what changes with every feed (counter)
--      5 matches about to be made (zset)
-- ARGV 1 match id  2 how many to keep
-- returns 1 when the match was new to the list, else 0
redis.call('SREM', KEYS[1], ARGV[1])
redis.call('ZREM', KEYS[5], ARGV[1])
if redis.call('ZSCORE', KEYS[2], ARGV[1]) then return 0 end
local number = redis.call('INCR', KEYS[3])
redis.call('ZADD', KEYS[2], number, ARGV[1])
redis.call('ZREMRANGEBYRANK', KEYS[2], 0, -tonumber(ARGV[2]) - 1)
redis.call('INCR', KEYS[4])
return 1
