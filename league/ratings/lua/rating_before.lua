-- Reads the ratings of bots before a group: those after the preceding group in each bot's own log.
--
-- KEYS: ratings after each group (hash `group bot` -> JSON); then the logs of the bots
-- ARGV: the group id; then the bots, in the order of their logs
-- Returns for each bot its rating (JSON), or '' if it played no group before.
local ratings_key = KEYS[1]
local group = ARGV[1]
local FIRST_BOT = 2

local ratings = {}
for i = FIRST_BOT, #KEYS do
  local log_key, bot = KEYS[i], ARGV[i]
  local rank = redis.call('ZRANK', log_key, group)
  local before = rank and rank > 0 and redis.call('ZRANGE', log_key, rank - 1, rank - 1)[1]
  ratings[#ratings + 1] = before and redis.call('HGET', ratings_key, before .. ' ' .. bot) or ''
end
return ratings
