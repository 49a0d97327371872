-- A bot was heard of: it is online until then at least. Those who were online are forgotten.
--
-- KEYS 1 bots online (zset by the instant until which they are)
-- ARGV 1 now in ms or ''  2 bot  3 for how long, in ms
-- returns 1
local now = now_ms(ARGV[1])
redis.call('ZADD', KEYS[1], 'GT', text_of(now + tonumber(ARGV[3])), ARGV[2])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', text_of(now))
return 1
