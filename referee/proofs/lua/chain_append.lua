-- Append records to the chain, all of them or none.
--
-- KEYS 1 numbers by match id (hash)
--      2 links after the archived ones, 32 bytes each, one after another (string)
--      3 number of the last archived record (string)
--      4 match ids of the records that are not archived yet, in chain order (list)
--      5 number and link of the record before the first of these links (hash)
-- ARGV 1 number of records that the writer expects in the chain, '-1' if it doesn't know
--      2 last link that the writer expects, '' for an empty chain
--      3 links of the new records, 32 bytes each
--      4 … match ids of the new records
-- returns {1, count}              the records were appended; the chain now has `count` records
--         {0, count, link, …}     nothing has changed: the chain has another length or end than expected, or contains
--                                 some of the records. `link` is its last link ('' if empty), followed by the number
--                                 of each record, or false
local numbers_key, links_key, archived_key, ids_key, base_key = unpack(KEYS)
local expected_count, expected_last, new_links = tonumber(ARGV[1]), ARGV[2], ARGV[3]
local ids = {}
for i = 4, #ARGV do ids[#ids + 1] = ARGV[i] end

local base, base_link = unpack(redis.call('HMGET', base_key, 'number', 'link'))
local count = tonumber(base or '0') + redis.call('STRLEN', links_key) / 32
local last = redis.call('GETRANGE', links_key, -32, -1)
if last == '' then last = base_link or '' end
local numbers = redis.call('HMGET', numbers_key, unpack(ids))
local free = expected_count == count and expected_last == last
for i = 1, #ids do free = free and not numbers[i] end
if not free then return {0, count, last, unpack(numbers, 1, #ids)} end
redis.call('APPEND', links_key, new_links)
for i = 1, #ids do redis.call('HSET', numbers_key, ids[i], string.format('%.0f', count + i)) end
-- Data of earlier releases lack the list; the archiver completes it (`referee.archive.redis`).
if tonumber(redis.call('GET', archived_key) or '0') + redis.call('LLEN', ids_key) == count then
  redis.call('RPUSH', ids_key, unpack(ids))
end
return {1, count + #ids}
