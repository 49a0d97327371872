-- Marks a bot for a time, ends another mark, and forgets marks whose time has passed.
--
-- KEYS: marks (zset by the end of their time)
-- ARGV: the current time in ms, or ''; the mark; the length of its time in ms; the mark that ends; the longest time in ms
-- Returns 1.
local marks_key = KEYS[1]
local now, mark, length_ms, ended, longest_ms = now_ms(ARGV[1]), ARGV[2], tonumber(ARGV[3]), ARGV[4], tonumber(ARGV[5])

redis.call('ZREMRANGEBYSCORE', marks_key, '(' .. text_of(now + longest_ms), '+inf')  -- the clock was ahead
redis.call('ZADD', marks_key, 'GT', text_of(now + length_ms), mark)
redis.call('ZREM', marks_key, ended)
redis.call('ZREMRANGEBYSCORE', marks_key, '-inf', text_of(now))
return 1
