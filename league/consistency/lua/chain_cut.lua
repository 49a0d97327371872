-- Remove records from the end of the chain. Their numbers must have been removed before.
--
-- KEYS 1 links after the archived ones, 32 bytes each, one after another (string)
--      2 number and link of the record before the first of these links (hash)
--      3 number of the last archived record (string)
--      4 match ids of the records that are not archived yet, in chain order (list)
-- ARGV 1 number of the first record to remove
-- returns how many records the chain has now
local links_key, base_key, archived_key, ids_key = unpack(KEYS)
local first = tonumber(ARGV[1])

local base = tonumber(redis.call('HGET', base_key, 'number') or '0')
local archived = tonumber(redis.call('GET', archived_key) or '0')
local kept = math.max(first - 1, base, archived)
if kept == base then redis.call('DEL', links_key)
else redis.call('SET', links_key, redis.call('GETRANGE', links_key, 0, (kept - base) * 32 - 1)) end
if kept == archived then redis.call('DEL', ids_key)
else redis.call('LTRIM', ids_key, 0, kept - archived - 1) end
return kept
