-- Stores the ids that the request of an idempotency key will create, unless they are stored already.
--
-- KEYS: the idempotency key (hash)
-- ARGV: the intent
-- Returns the intent stored first.
local idempotency_key = KEYS[1]
local intent = ARGV[1]

redis.call('HSETNX', idempotency_key, 'intent', intent)
return redis.call('HGET', idempotency_key, 'intent')
