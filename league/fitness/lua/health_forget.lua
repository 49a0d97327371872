-- Removes a void ladder match from the health of its bot. Ends a suspension that the remaining matches don't justify.
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
local in_a_row = 0
for _, each in ipairs(redis.call('ZRANGE', matches_key, 0, -1)) do
  in_a_row = string.sub(each, -1) == '1' and in_a_row + 1 or 0
  if in_a_row == limit then return 0 end
end
return redis.call('HDEL', health_key, 'suspended')
