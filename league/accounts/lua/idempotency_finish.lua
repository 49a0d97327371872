-- Stores the response to the request that claimed an idempotency key.
--
-- KEYS: the idempotency key (hash)
-- ARGV: the encrypted response; how long to keep it, in ms
-- Returns 1, or 0 if the key has expired or has a response; then nothing is written.
local idempotency_key = KEYS[1]
local response, kept_ms = unpack(ARGV)

if redis.call('EXISTS', idempotency_key) == 0 then return 0 end
if redis.call('HSETNX', idempotency_key, 'answer', response) == 0 then return 0 end
redis.call('PEXPIRE', idempotency_key, kept_ms)
return 1
