-- The next groups of a log are rated, if nothing has come between.
--
-- KEYS 1 head  2 ratings after each group (hash `group bot` -> JSON)  3 ratings now (hash bot -> JSON)
--      4 bots by rating (zset)  5 … logs of the bots, each as often as it is named below
-- ARGV 1 version that was read  2 mark of the model  3 how many groups are rated then
--      then for each bot of each group: group, bot, rating (JSON), mu
-- returns 1, or 0 if the log has changed; nothing has changed then
if tonumber(redis.call('HGET', KEYS[1], 'version') or '0') ~= tonumber(ARGV[1]) then return 0 end
for i = 4, #ARGV, 4 do
  local group, bot, rating, mu = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3]
  redis.call('HSET', KEYS[2], group .. ' ' .. bot, rating)
  -- While older groups are rated again a bot keeps its last rating, until its last group is reached.
  if redis.call('ZRANGE', KEYS[5 + (i - 4) / 4], -1, -1)[1] == group then
    redis.call('HSET', KEYS[3], bot, rating)
    redis.call('ZADD', KEYS[4], mu, bot)
  end
end
redis.call('HSET', KEYS[1], 'rated', ARGV[3], 'mark', ARGV[2])
redis.call('HINCRBY', KEYS[1], 'version', 1)
return 1
