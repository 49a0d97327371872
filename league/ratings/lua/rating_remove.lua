-- A group leaves the log of its preset, as if it had never been. What stood after it there is to be rated again.
--
-- KEYS 1 head  2 log (zset of group ids by end)  3 outcomes  4 ratings after each group (hash `group bot` -> JSON)
--      5 ratings now (hash bot -> JSON)  6 bots by rating (zset)  7 … logs of its bots
-- ARGV 1 group  2 outcome that was read (JSON)  3 … its bots, in the order of their logs
-- returns 1, or 0 if that outcome is not there; nothing has changed then
if redis.call('HGET', KEYS[3], ARGV[1]) ~= ARGV[2] then return 0 end
local rated = tonumber(redis.call('HGET', KEYS[1], 'rated') or '0')
redis.call('HSET', KEYS[1], 'rated', math.min(rated, redis.call('ZRANK', KEYS[2], ARGV[1])))
redis.call('HINCRBY', KEYS[1], 'version', 1)
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('HDEL', KEYS[3], ARGV[1])
for i = 7, #KEYS do
  local bot = ARGV[i - 4]
  local was_last = redis.call('ZRANGE', KEYS[i], -1, -1)[1] == ARGV[1]
  redis.call('ZREM', KEYS[i], ARGV[1])
  redis.call('HDEL', KEYS[4], ARGV[1] .. ' ' .. bot)
  if was_last then
    -- Nothing that is rated again will bring this bot's rating up to date: what it was before is what it is.
    local last = redis.call('ZRANGE', KEYS[i], -1, -1)[1]
    local rating = last and redis.call('HGET', KEYS[4], last .. ' ' .. bot)
    if rating then
      redis.call('HSET', KEYS[5], bot, rating)
      redis.call('ZADD', KEYS[6], string.match(rating, '[-%d.e+]+'), bot)
    else
      redis.call('HDEL', KEYS[5], bot)
      redis.call('ZREM', KEYS[6], bot)
    end
  end
end
return 1
