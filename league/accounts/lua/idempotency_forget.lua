-- Frees an idempotency key whose request was refused.
--
-- KEYS 1 the key (hash)
-- ARGV 1 holder of the lease
-- returns 1, or 0 if the key was answered or another holds it by now; nothing has changed then
local found = redis.call('HMGET', KEYS[1], 'holder', 'answer')
if found[1] ~= ARGV[1] or found[2] then return 0 end
return redis.call('DEL', KEYS[1])
