-- A running group becomes void.
--
-- KEYS 1 group (hash)
-- ARGV 1 when, in ms
-- returns its status now; nothing has changed if it was not running
local status = redis.call('HGET', KEYS[1], 'status')
if status ~= 'running' then return status end
redis.call('HSET', KEYS[1], 'status', 'void', 'ended', ARGV[1])
return 'void'
