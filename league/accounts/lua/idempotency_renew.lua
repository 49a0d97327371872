-- Renews the lease of the request that claimed an idempotency key.
--
-- KEYS: the idempotency key (hash)
-- ARGV: the holder of the lease; its length from now, in ms; the current time in ms, or ''
-- Returns 1, or 0 if the key has expired or has another holder; then nothing is written.
local idempotency_key = KEYS[1]
local holder, lease_ms, given_now = unpack(ARGV)

if redis.call('HGET', idempotency_key, 'holder') ~= holder then return 0 end
redis.call('HSET', idempotency_key, 'until', text_of(now_ms(given_now) + tonumber(lease_ms)))
return 1
