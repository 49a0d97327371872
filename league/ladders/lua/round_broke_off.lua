-- A worker's step of a round raised: the worker keeps the lease until the next try, and the step is counted.
--
-- KEYS 1 round
-- ARGV 1 worker  2 ms until the next try  3 now in ms or ''
-- returns how many steps in a row have raised, or 0 if the lease is not this worker's; nothing has changed then
if redis.call('HGET', KEYS[1], 'worker') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'until', text_of(now_ms(ARGV[3]) + tonumber(ARGV[2])))
return redis.call('HINCRBY', KEYS[1], 'raised', 1)
