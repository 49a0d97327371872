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
-- A good match breaks a row. A row that merely leaves the kept matches still suspends.
local had_row = bad == '0' and has_bad_row(matches_key, limit)
redis.call('ZADD', matches_key, ended, match .. ' ' .. bad)
if had_row and not has_bad_row(matches_key, limit) then redis.call('HDEL', health_key, 'suspended') end
redis.call('ZREMRANGEBYRANK', matches_key, 0, -1 - kept)
if not has_bad_row(matches_key, limit) then return 0 end
return redis.call('HSETNX', health_key, 'suspended', suspension)
