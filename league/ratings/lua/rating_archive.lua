-- Removes the first groups of a log, which are archived, unless the log or its ratings changed since they were read.
--
-- KEYS: the head of the log; the log (zset of group ids by end); results (hash group -> JSON); ratings by group (hash
--       `group bot` -> JSON); then the log of the bot of each entry below
-- ARGV: the version of the log and the number of its fit, as read; the place of the last of these groups; how many they
--       are; their ids; then for each entry the group and the bot
-- Returns 1, or 0 if something changed; then nothing is written.
local head_key, log_key, results_key, ratings_key = unpack(KEYS, 1, 4)
local version, fit, top, count = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])
local FIRST_LOG, FIRST_GROUP = 5, 5
local FIRST_ENTRY = FIRST_GROUP + count

local head = redis.call('HMGET', head_key, 'version', 'fits')
if (head[1] or '0') ~= version or (head[2] or '0') ~= fit then return 0 end
for i = FIRST_GROUP, FIRST_ENTRY - 1 do
  redis.call('ZREM', log_key, ARGV[i])
  redis.call('HDEL', results_key, ARGV[i])
end
for i = FIRST_ENTRY, #ARGV, 2 do
  local group, bot = ARGV[i], ARGV[i + 1]
  redis.call('HDEL', ratings_key, group .. ' ' .. bot)
  redis.call('ZREM', KEYS[FIRST_LOG + (i - FIRST_ENTRY) / 2], group)
end
redis.call('HSET', head_key, 'top', top)
return 1
