-- Stores the ratings of the next groups of a log, unless the log changed since it was read.
--
-- KEYS: the head of the log; ratings after each group (hash `group bot` -> JSON); current ratings (hash bot -> JSON);
--       bots by rating (zset); then the log of the bot of each entry below
-- ARGV: the version as read; the mark of the rating model; the number of rated groups afterwards; then for each entry the
--       group, the bot, its rating (JSON) and its mu
-- Returns 1, or 0 if the log changed; then nothing is written.
local head_key, ratings_key, current_key, ranking_key = unpack(KEYS, 1, 4)
local version, mark, rated = ARGV[1], ARGV[2], ARGV[3]
local FIRST_LOG, FIRST_ENTRY = 5, 4

if tonumber(redis.call('HGET', head_key, 'version') or '0') ~= tonumber(version) then return 0 end
for i = FIRST_ENTRY, #ARGV, 4 do
  local group, bot, rating, mu = unpack(ARGV, i, i + 3)
  redis.call('HSET', ratings_key, group .. ' ' .. bot, rating)
  -- While older groups are rated again, a bot keeps its last rating until its last group is reached.
  if redis.call('ZRANGE', KEYS[FIRST_LOG + (i - FIRST_ENTRY) / 4], -1, -1)[1] == group then
    redis.call('HSET', current_key, bot, rating)
    redis.call('ZADD', ranking_key, mu, bot)
  end
end
redis.call('HSET', head_key, 'rated', rated, 'mark', mark)
redis.call('HINCRBY', head_key, 'version', 1)
return 1
