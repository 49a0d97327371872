-- Remove the links of archived records from the beginning of the chain.
--
-- KEYS 1 links after the archived ones, 32 bytes each, one after another (string)
--      2 number, link and previous link of the record before the first of these links, and the last end of all archived
--        matches (hash)
-- ARGV 1 number of the last archived record
--      2 its link
--      3 the link before it
--      4 the last end of the archived matches, in ms
-- returns how many links were removed
local links_key, base_key = KEYS[1], KEYS[2]
local last, link, previous, last_ended = tonumber(ARGV[1]), ARGV[2], ARGV[3], tonumber(ARGV[4])

local base = tonumber(redis.call('HGET', base_key, 'number') or '0')
if last <= base then return 0 end
redis.call('SET', links_key, redis.call('GETRANGE', links_key, (last - base) * 32, -1))
local ended = math.max(tonumber(redis.call('HGET', base_key, 'ended') or '0'), last_ended)
redis.call('HSET', base_key, 'number', string.format('%.0f', last), 'link', link, 'previous', previous, 'ended', string.format('%.0f', ended))
return last - base
