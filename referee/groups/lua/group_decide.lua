-- Decide the phase of a running group. The first decision holds.
--
-- KEYS 1 group (hash)
-- ARGV 1 phase
-- returns the phase that holds, '' if there is no such group; then nothing has changed
local group_key = KEYS[1]
local phase = ARGV[1]

if redis.call('EXISTS', group_key) == 0 then return '' end
redis.call('HSETNX', group_key, 'phase', phase)
return redis.call('HGET', group_key, 'phase')
