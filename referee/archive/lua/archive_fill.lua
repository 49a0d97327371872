-- Add match ids to those that wait for the archive, if they follow the last one there.
--
-- KEYS 1 number of the last archived record (string)
--      2 match ids of the records that are not archived yet, in chain order (list)
-- ARGV 1 number of the first record
--      2 … match ids of the records
-- returns 1, or 0 if the ids do not follow; then nothing has changed
local archived_key, ids_key = KEYS[1], KEYS[2]
local first = tonumber(ARGV[1])
local FIRST_ID = 2

local archived = tonumber(redis.call('GET', archived_key) or '0')
if archived + redis.call('LLEN', ids_key) ~= first - 1 then return 0 end
for i = FIRST_ID, #ARGV do redis.call('RPUSH', ids_key, ARGV[i]) end
return 1
