-- Removes the first groups of a log, which are rated and archived, unless the log changed since it was read.
--
-- KEYS: the head of the log; the log (zset of group ids by end); results (hash group -> JSON); ratings after each group
--       (hash `group bot` -> JSON); ratings after the archived groups (hash bot -> JSON); then the log of the bot of each
--       entry below
-- ARGV: the version as read; the place of the last of these groups; how many they are; their ids; then for each entry the
--       group, the bot and its rating after the group (JSON), in the order of the log
-- Returns 1, or 0 if the log changed; then nothing is written.
local head_key, log_key, results_key, ratings_key, base_key = unpack(KEYS, 1, 5)
local version, top, count = ARGV[1], ARGV[2], tonumber(ARGV[3])
local FIRST_LOG, FIRST_GROUP = 6, 4
local FIRST_ENTRY = FIRST_GROUP + count

if redis.call('HGET', head_key, 'version') ~= version then return 0 end
for i = FIRST_GROUP, FIRST_ENTRY - 1 do
  redis.call('ZREM', log_key, ARGV[i])
  redis.call('HDEL', results_key, ARGV[i])
end
for i = FIRST_ENTRY, #ARGV, 3 do
  local group, bot, rating = unpack(ARGV, i, i + 2)
  redis.call('HDEL', ratings_key, group .. ' ' .. bot)
  redis.call('ZREM', KEYS[FIRST_LOG + (i - FIRST_ENTRY) / 3], group)
  redis.call('HSET', base_key, bot, rating)
end
redis.call('HINCRBY', head_key, 'rated', -count)
redis.call('HSET', head_key, 'floor', top, 'top', top)
redis.call('HINCRBY', head_key, 'version', 1)
return 1
