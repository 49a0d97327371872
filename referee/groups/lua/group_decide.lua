-- Decide the phase of a group. The first decision holds, until the group is aborted or void.
--
-- KEYS 1 group (hash)
-- ARGV 1 phase
-- returns the phase that holds, '' if there is no such group; then nothing has changed
local group_key = KEYS[1]
local phase = ARGV[1]

local status = redis.call('HGET', group_key, 'status')
if not status then return '' end
-- A process that read the running group before may have created more of its matches since.
if status == 'void' or status == 'aborted' then return 'aborted' end
redis.call('HSETNX', group_key, 'phase', phase)
return redis.call('HGET', group_key, 'phase')
