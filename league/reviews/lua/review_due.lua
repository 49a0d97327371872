-- Reads the reviews that wait and that no worker has, the longest waiting first.
--
-- KEYS: reviews that wait, by ms (zset)
-- ARGV: the current time in ms, or ''; how many
-- Returns their ids.
local waiting_key = KEYS[1]
local given_now, most = unpack(ARGV)

return redis.call('ZRANGEBYSCORE', waiting_key, '-inf', text_of(now_ms(given_now)), 'LIMIT', 0, most)
