-- Keeps the answer to the request that claimed this idempotency key.
--
-- KEYS 1 the key (hash)
-- ARGV 1 the sealed answer  2 how long it is kept, in ms
-- returns 1, or 0 if the key is gone or answered already; nothing has changed then
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
if redis.call('HSETNX', KEYS[1], 'answer', ARGV[1]) == 0 then return 0 end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
