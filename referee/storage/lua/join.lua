-- A bot has a seat in a match that is not over.
--
-- KEYS 1 active matches of the bot (set)  2 finished matches of the bot (zset by number)
--      3 what changes with every feed (counter)  4 matches about to be made (zset)
-- ARGV 1 match id
-- returns 1 when that was new, else 0
if redis.call('ZSCORE', KEYS[2], ARGV[1]) then return 0 end
redis.call('ZREM', KEYS[4], ARGV[1])
redis.call('INCR', KEYS[3])
return redis.call('SADD', KEYS[1], ARGV[1])
