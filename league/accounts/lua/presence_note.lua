-- Marks a bot as online for a time, and forgets bots whose time has passed.
--
-- KEYS: bots online (zset of bot ids by the end of their time)
-- ARGV: the current time in ms, or ''; the bot id; the length of its time in ms
-- Returns 1.
local online_key = KEYS[1]
local now, bot, length_ms = now_ms(ARGV[1]), ARGV[2], tonumber(ARGV[3])

redis.call('ZADD', online_key, 'GT', text_of(now + length_ms), bot)
redis.call('ZREMRANGEBYSCORE', online_key, '-inf', text_of(now))
return 1
