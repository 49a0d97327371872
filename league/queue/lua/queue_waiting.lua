-- Draws entries of a pool by lot.
--
-- KEYS: the pool (zset of entry ids)
-- ARGV: the current time in ms, or ''; how many entries
-- Returns {the current time, entry ids ...}.
return {text_of(now_ms(ARGV[1])), unpack(redis.call('ZRANDMEMBER', KEYS[1], ARGV[2]))}
