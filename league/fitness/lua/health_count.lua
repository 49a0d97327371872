-- Adds an ended ladder match to the health of a bot. Several bad matches in a row suspend the bot. Matches count in the
-- order of their ends, whatever the order of the calls; a repeated call has no effect. Needs bad_in_a_row.lua.
--
-- KEYS: the health of the bot (hash); its last matches (zset of `match 1` for a bad match, else `match 0`, by their ends)
-- ARGV: the match id; '1' for a bad match, else '0'; its end in ms; how many in a row suspend the bot; how many matches to
--       keep; the suspension (JSON)
-- Returns 1 if this suspended the bot, else 0.
local health_key, matches_key = unpack(KEYS)
local match, bad, ended, suspension = ARGV[1], ARGV[2], ARGV[3], ARGV[6]
local limit, kept = tonumber(ARGV[4]), tonumber(ARGV[5])

-- A passed check forgives the matches that ended before it.
if tonumber(ended) <= tonumber(redis.call('HGET', health_key, 'since') or '0') then return 0 end
redis.call('ZADD', matches_key, ended, match .. ' ' .. bad)
redis.call('ZREMRANGEBYRANK', matches_key, 0, -1 - kept)
local suspended = redis.call('HGET', health_key, 'suspended')
if has_bad_row(matches_key, limit) then return redis.call('HSETNX', health_key, 'suspended', suspension) end
-- A good match that ended before the last bad one, and is counted after it, may break the row. Later ones don't.
local breaks = suspended and bad == '0' and tonumber(ended) < cjson.decode(suspended)['at']
if breaks and redis.call('ZSCORE', matches_key, match .. ' 0') then redis.call('HDEL', health_key, 'suspended') end
return 0
