-- A match of a ladder that is over, good or bad for one of its bots; so many bad ones in a row suspend the bot. The order is
-- that in which the matches ended, whatever the order in which they are told; telling one twice is telling it once.
--
-- KEYS 1 health of the bot  2 its last matches (zset `match 1` for a bad one, else `match 0`, by their ends)
-- ARGV 1 match  2 '1' for a bad one, else '0'  3 when it ended, in ms  4 how many in a row  5 how many are kept
--      6 suspension (JSON)
-- returns 1 if the bot is suspended now and was not before, else 0
-- What ended before the last check that was passed is forgiven.
if tonumber(ARGV[3]) <= tonumber(redis.call('HGET', KEYS[1], 'since') or '0') then return 0 end
redis.call('ZADD', KEYS[2], ARGV[3], ARGV[1] .. ' ' .. ARGV[2])
redis.call('ZREMRANGEBYRANK', KEYS[2], 0, -1 - tonumber(ARGV[5]))
if redis.call('HEXISTS', KEYS[1], 'suspended') == 1 then return 0 end
local last = redis.call('ZREVRANGE', KEYS[2], 0, tonumber(ARGV[4]) - 1)
if #last < tonumber(ARGV[4]) then return 0 end
for _, match in ipairs(last) do
  if string.sub(match, -1) ~= '1' then return 0 end
end
redis.call('HSET', KEYS[1], 'suspended', ARGV[6])
return 1
