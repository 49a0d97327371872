-- Counts a failed step of a round. The worker keeps the lease until the next try.
--
-- KEYS: the round
-- ARGV: the worker; the delay before the next try in ms; the current time in ms, or ''
-- Returns how many steps failed in a row, or 0 if the worker does not hold the lease; then nothing is written.
local round_key = KEYS[1]
local worker, delay_ms, given_now = unpack(ARGV)

if redis.call('HGET', round_key, 'worker') ~= worker then return 0 end
redis.call('HSET', round_key, 'until', text_of(now_ms(given_now) + tonumber(delay_ms)))
return redis.call('HINCRBY', round_key, 'raised', 1)
