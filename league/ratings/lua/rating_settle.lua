-- Makes the rating after the archived groups the current one of a bot that has played no group since.
--
-- KEYS: ratings after the archived groups (hash bot -> JSON); current ratings (hash bot -> JSON); bots by rating (zset);
--       the log of the bot; the head of the log
-- ARGV: the bot
-- Returns 1, or 0 if it has played since; then nothing is written.
local base_key, current_key, ranking_key, log_key, head_key = unpack(KEYS)
local bot = ARGV[1]

if redis.call('ZCARD', log_key) > 0 then return 0 end
local rating = redis.call('HGET', base_key, bot)
redis.call('HINCRBY', head_key, 'settled', 1)
if rating then
  redis.call('HSET', current_key, bot, rating)
  redis.call('ZADD', ranking_key, string.match(rating, '[-%d.e+]+'), bot)
else
  redis.call('HDEL', current_key, bot)
  redis.call('ZREM', ranking_key, bot)
end
return 1
