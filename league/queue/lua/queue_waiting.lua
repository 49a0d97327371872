-- Reads the entries of a pool that have waited longest.
--
-- KEYS: the pool (zset of entry ids by ms)
-- ARGV: the current time in ms, or ''; how many entries
-- Returns {the current time, entry ids ...}.
local pool_key = KEYS[1]
local given_now, most = ARGV[1], tonumber(ARGV[2])

return {text_of(now_ms(given_now)), unpack(redis.call('ZRANGE', pool_key, 0, most - 1))}
