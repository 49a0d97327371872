-- What is due in a list of ladders by instants.
--
-- KEYS 1 the list (zset)
-- ARGV 1 now in ms or ''  2 how many at most
-- returns {now, {ladder, instant, …}}, the earliest first
local now = text_of(now_ms(ARGV[1]))
return {now, redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'WITHSCORES', 'LIMIT', 0, ARGV[2])}
