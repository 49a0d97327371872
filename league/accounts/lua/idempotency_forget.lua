-- Frees an idempotency key whose request was refused.
--
-- KEYS: the idempotency key (hash)
-- ARGV: the holder of the lease
-- Returns 1, or 0 if the key has a response or another holder; then nothing is written.
local idempotency_key = KEYS[1]
local holder = ARGV[1]

local stored_holder, response = unpack(redis.call('HMGET', idempotency_key, 'holder', 'answer'))
if stored_holder ~= holder or response then return 0 end
return redis.call('DEL', idempotency_key)
