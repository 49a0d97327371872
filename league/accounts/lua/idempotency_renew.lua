-- Renews the lease of the request that claimed this idempotency key.
--
-- KEYS 1 the key (hash)
-- ARGV 1 holder of the lease  2 how long it lasts from now, in ms  3 now in ms or ''
-- returns 1, or 0 if another holds it by now, or nobody; nothing has changed then
if redis.call('HGET', KEYS[1], 'holder') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'until', text_of(now_ms(ARGV[3]) + tonumber(ARGV[2])))
return 1
