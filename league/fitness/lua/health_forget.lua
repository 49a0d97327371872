-- Removes a void ladder match from the health of its bot. Ends a suspension that the remaining matches don't justify.
-- Needs bad_in_a_row.lua.
--
-- KEYS: the health of the bot (hash); its last matches (zset of `match 1` for a bad match, else `match 0`, by their ends)
-- ARGV: the match id; how many bad matches in a row suspend a bot
-- Returns 1 if this ended a suspension, else 0.
local health_key, matches_key = unpack(KEYS)
local match, limit = ARGV[1], tonumber(ARGV[2])

if redis.call('ZREM', matches_key, match .. ' 1') == 0 then
  redis.call('ZREM', matches_key, match .. ' 0')
  return 0
end
if has_bad_row(matches_key, limit) then return 0 end
return redis.call('HDEL', health_key, 'suspended')
