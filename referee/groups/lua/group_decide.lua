-- Decide the phase of a running group. The first decision holds.
--
-- KEYS 1 group (hash)
-- ARGV 1 phase
-- returns the phase that holds
local group_key = KEYS[1]
local phase = ARGV[1]

redis.call('HSETNX', group_key, 'phase', phase)
return redis.call('HGET', group_key, 'phase')
