-- Reads the ratings of bots before a group: those after the preceding group in each bot's own log.
--
-- KEYS: ratings after each group (hash `group bot` -> JSON); ratings after the archived groups (hash bot -> JSON); then
--       the logs of the bots
-- ARGV: the group id; then the bots, in the order of their logs
-- Returns for each bot its rating (JSON), or '' if it played no group before.
local ratings_key, base_key = KEYS[1], KEYS[2]
local group = ARGV[1]
local FIRST_LOG, FIRST_BOT = 3, 2

local ratings = {}
for i = FIRST_LOG, #KEYS do
  local log_key, bot = KEYS[i], ARGV[i - FIRST_LOG + FIRST_BOT]
  local rank = redis.call('ZRANK', log_key, group)
  local before = rank and rank > 0 and redis.call('ZRANGE', log_key, rank - 1, rank - 1)[1]
  local rating = before and redis.call('HGET', ratings_key, before .. ' ' .. bot)
  if not before then rating = redis.call('HGET', base_key, bot) end
  ratings[#ratings + 1] = rating or ''
end
return ratings
