-- Takes records into the chain, all or none.
--
-- KEYS 1 numbers by match id (hash)  2 all links, 32 bytes each, one after another (string)
-- ARGV 1 how many records the writer took the chain to have, '-1' if it did not know
--      2 the last link, as it took it, '' of none
--      3 the links of the new ones, 32 bytes each  4 … their match ids
-- returns {1, count}              they are in the chain, which has so many records now
--         {0, count, link, …}     it has another number of records, or some of these already: nothing has changed; its
--                                 last link ('' of none), and for each id its number or false
local count = redis.call('STRLEN', KEYS[2]) / 32
local last = count > 0 and redis.call('GETRANGE', KEYS[2], count * 32 - 32, count * 32 - 1) or ''
local ids = {}
for i = 4, #ARGV do ids[#ids + 1] = ARGV[i] end
local numbers = redis.call('HMGET', KEYS[1], unpack(ids))
local free = tonumber(ARGV[1]) == count and ARGV[2] == last
for i = 1, #ids do free = free and not numbers[i] end
if not free then return {0, count, last, unpack(numbers, 1, #ids)} end
redis.call('APPEND', KEYS[2], ARGV[3])
for i = 1, #ids do redis.call('HSET', KEYS[1], ids[i], string.format('%.0f', count + i)) end
return {1, count + #ids}
