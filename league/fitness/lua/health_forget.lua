-- A match of a ladder is void after all: for its bot it has never been. A suspension ends that nothing bears out any more.
--
-- KEYS 1 health of the bot  2 its last matches (zset `match 1` for a bad one, else `match 0`, by their ends)
-- ARGV 1 match  2 how many bad ones in a row suspend
-- returns 1 if the bot was suspended before and is not any more, else 0
if redis.call('ZREM', KEYS[2], ARGV[1] .. ' 1') == 0 then
  redis.call('ZREM', KEYS[2], ARGV[1] .. ' 0')
  return 0
end
local row = 0
for _, match in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do
  row = string.sub(match, -1) == '1' and row + 1 or 0
  if row == tonumber(ARGV[2]) then return 0 end
end
return redis.call('HDEL', KEYS[1], 'suspended')
