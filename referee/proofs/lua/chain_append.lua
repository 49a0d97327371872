-- Append records to the chain, all of them or none.
--
-- KEYS 1 numbers by match id (hash)
--      2 links after the archived ones, 32 bytes each, one after another (string)
--      3 match ids of the records that are not archived yet, in chain order (list)
--      4 number, link and `ended` of the archived records (hash)
-- ARGV 1 number of records that the writer expects in the chain, '-1' if it doesn't know
--      2 last link that the writer expects, '' for an empty chain
--      3 links of the new records, 32 bytes each
--      4 when the first of their matches ended, in ms
--      5 number of the last archived record when the writer looked for them among those; '-1' if it has not
--      6 … match ids of the new records
-- returns {1, count}                    the records were appended; the chain now has `count` records
--         {0, count, link, archived, …}  nothing has changed: the chain has another length or end than expected, or
--                                        contains some of the records. `link` is its last link ('' if empty);
--                                        `archived` is -1, or the number of the last archived record if the writer
--                                        must look for its records among those first; then follows the number of each
--                                        record, or false
local numbers_key, links_key, ids_key, base_key = unpack(KEYS)
local expected_count, expected_last, new_links = tonumber(ARGV[1]), ARGV[2], ARGV[3]
local first_ended, looked = tonumber(ARGV[4]), tonumber(ARGV[5])
local FIRST_ID = 6
local ids = {unpack(ARGV, FIRST_ID)}

local stored_base, base_link, last_ended = unpack(redis.call('HMGET', base_key, 'number', 'link', 'ended'))
local base = tonumber(stored_base or '0')
local count = base + redis.call('STRLEN', links_key) / 32
local last = redis.call('GETRANGE', links_key, -32, -1)
if last == '' then last = base_link or '' end
local numbers = redis.call('HMGET', numbers_key, unpack(ids))
-- A record leaves `numbers` when it is archived. A match that ended after all archived ones can't be among them.
local unsure = base > 0 and base ~= looked and first_ended <= tonumber(last_ended or first_ended)
local free = expected_count == count and expected_last == last and not unsure
for i = 1, #ids do free = free and not numbers[i] end
if not free then return {0, count, last, unsure and base or -1, unpack(numbers, 1, #ids)} end
redis.call('APPEND', links_key, new_links)
for i = 1, #ids do redis.call('HSET', numbers_key, ids[i], string.format('%.0f', count + i)) end
redis.call('RPUSH', ids_key, unpack(ids))
return {1, count + #ids}
