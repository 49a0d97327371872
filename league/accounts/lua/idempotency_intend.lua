-- Keeps what the request of an idempotency key intends to create.
--
-- KEYS 1 the key (hash)
-- ARGV 1 what it intends
-- returns what was kept first
redis.call('HSETNX', KEYS[1], 'intent', ARGV[1])
return redis.call('HGET', KEYS[1], 'intent')
