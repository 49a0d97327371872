-- Void a running group.
--
-- KEYS 1 group (hash)
-- ARGV 1 when, in ms
-- returns the group's status afterwards, '' if there is no such group; nothing has changed if it wasn't running
local group_key = KEYS[1]
local at = ARGV[1]

local status = redis.call('HGET', group_key, 'status')
if status ~= 'running' then return status or '' end
redis.call('HSET', group_key, 'status', 'void', 'ended', at)
return 'void'
