-- Removes a group from the log of its preset. Groups after it in the log must be rated again.
--
-- KEYS: the head of the log; the log (zset of group ids by end); results (hash group -> JSON); ratings after each group
--       (hash `group bot` -> JSON); current ratings (hash bot -> JSON); bots by rating (zset); ratings after the archived
--       groups (hash bot -> JSON); then the logs of its bots
-- ARGV: the group id; its result as read (JSON); then its bots, in the order of their logs
-- Returns 1, or 0 if that result is not stored; then nothing is written.
local head_key, log_key, results_key, ratings_key, current_key, ranking_key, base_key = unpack(KEYS, 1, 7)
local group, result = ARGV[1], ARGV[2]
local FIRST_LOG, FIRST_BOT = 8, 3

if redis.call('HGET', results_key, group) ~= result then return 0 end
local rated = tonumber(redis.call('HGET', head_key, 'rated') or '0')
redis.call('HSET', head_key, 'rated', math.min(rated, redis.call('ZRANK', log_key, group)))
redis.call('HINCRBY', head_key, 'version', 1)
redis.call('ZREM', log_key, group)
redis.call('HDEL', results_key, group)
for i = FIRST_LOG, #KEYS do
  local bot_log_key, bot = KEYS[i], ARGV[i - FIRST_LOG + FIRST_BOT]
  local was_last = redis.call('ZRANGE', bot_log_key, -1, -1)[1] == group
  redis.call('ZREM', bot_log_key, group)
  redis.call('HDEL', ratings_key, group .. ' ' .. bot)
  if was_last then
    -- No later group updates this bot's rating, so restore the one before.
    local last = redis.call('ZRANGE', bot_log_key, -1, -1)[1]
    local rating = last and redis.call('HGET', ratings_key, last .. ' ' .. bot)
    if not last then rating = redis.call('HGET', base_key, bot) end
    if rating then
      redis.call('HSET', current_key, bot, rating)
      redis.call('ZADD', ranking_key, string.match(rating, '[-%d.e+]+'), bot)
    else
      redis.call('HDEL', current_key, bot)
      redis.call('ZREM', ranking_key, bot)
    end
  end
end
return 1
