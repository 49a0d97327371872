-- Gives a helper of a running round a lease of its own, beside the worker that has the lease of the round.
--
-- KEYS: the round
-- ARGV: the helper; the length of the lease in ms; the current time in ms, or ''
-- Returns 1, or 0 if the round is not running; then nothing is written.
local round_key = KEYS[1]
local helper, lease_ms, given_now = unpack(ARGV)

if redis.call('HGET', round_key, 'state') ~= 'running' then return 0 end
redis.call('HSET', round_key, 'helper:' .. helper, text_of(now_ms(given_now) + tonumber(lease_ms)) .. ' 0')
return 1
