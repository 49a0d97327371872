-- Publishes the ratings of a preset, unless newer ones of the same model are published.
--
-- KEYS: the head of the log; ratings (hash bot -> JSON, `#bot` -> place, `~bot` -> deviations); bots by rating (zset);
--       results (hash group -> JSON); ratings by group (hash `group bot` -> JSON); groups that were added since the last
--       fit (zset by end)
-- ARGV: the version of the log that was read; the model; the instant (ms) before which no new fit begins; the number of
--       bots; then for each its id, mu, rating (JSON) and deviations; then for each bot of each new group the group, the
--       bot and its rating (JSON)
-- Returns 1, or 0 if newer ones are published; then nothing is written.
local head_key, fit_key, ranking_key, results_key, ratings_key, new_key = unpack(KEYS)
local version, model, due, count = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])
local FIRST_BOT = 5
local FIRST_NEW = FIRST_BOT + 4 * count

local head = redis.call('HMGET', head_key, 'fitted', 'model')
if head[2] == model and tonumber(head[1]) >= tonumber(version) then return 0 end
redis.call('DEL', fit_key, ranking_key)
for i = FIRST_BOT, FIRST_NEW - 1, 4 do
  local bot, mu, rating, deviations = unpack(ARGV, i, i + 3)
  redis.call('HSET', fit_key, bot, rating, '~' .. bot, deviations, '#' .. bot, (i - FIRST_BOT) / 4)
  redis.call('ZADD', ranking_key, mu, bot)
end
for i = FIRST_NEW, #ARGV, 3 do
  local group, bot, rating = unpack(ARGV, i, i + 2)
  redis.call('ZREM', new_key, group)
  -- The group may have been removed or archived meanwhile.
  if redis.call('HEXISTS', results_key, group) == 1 then
    redis.call('HSET', ratings_key, group .. ' ' .. bot, rating)
  end
end
redis.call('HSET', head_key, 'fitted', version, 'model', model, 'due', due)
redis.call('HINCRBY', head_key, 'fits', 1)
return 1
