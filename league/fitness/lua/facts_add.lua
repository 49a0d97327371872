-- Adds what a bot reports about a move, once. A bot reports about its moves in their order.
--
-- KEYS: the facts of the bot in the match (hash); the bytes of facts that it sent today (string); its matches with
--       facts (zset by day); its totals (hash)
-- ARGV: the match; the day; the move; its facts without thoughts (JSON); the thoughts; how many bytes of facts the
--       match and the day may have; how long to keep facts, in days; then pairs of a count and by how much it rises
-- Returns 1, or 0 if the move had facts before; then nothing is written. Facts beyond a budget are only added up.
-- The last move of a match ends it before its facts come. The totals then have the match already (statistics_add.lua).
local match_key, today_key, matches_key, totals_key = unpack(KEYS)
local match, day, move, facts, thoughts = unpack(ARGV)
local match_budget, day_budget, kept_days = tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])
local DAY_S = 86400

if redis.call('HEXISTS', match_key, 'move:' .. move) == 1 or redis.call('HGET', match_key, 'last') == move then
  return 0
end
local preset = redis.call('HGET', match_key, 'preset')
for place = 9, #ARGV, 2 do
  local name, by = ARGV[place], ARGV[place + 1]
  redis.call('HINCRBY', match_key, name, by)
  if preset and name:sub(1, 7) ~= 'mended:' then redis.call('HINCRBY', totals_key, name .. ' ' .. preset, by) end
end
local size = #facts + #thoughts
local in_match = tonumber(redis.call('HGET', match_key, 'bytes') or 0) + size
local today = tonumber(redis.call('GET', today_key) or 0) + size
if in_match > match_budget or today > day_budget then
  redis.call('HINCRBY', match_key, 'dropped', 1)
  redis.call('HSET', match_key, 'last', move)
else
  redis.call('HSET', match_key, 'move:' .. move, facts, 'bytes', in_match)
  if thoughts ~= '' then redis.call('HSET', match_key, 'thoughts:' .. move, thoughts) end
  redis.call('SET', today_key, today, 'EX', 2 * DAY_S)
end
redis.call('EXPIRE', match_key, kept_days * DAY_S)
redis.call('ZREMRANGEBYSCORE', matches_key, '-inf', day - kept_days - 1)
redis.call('ZADD', matches_key, day, match)
redis.call('EXPIRE', matches_key, kept_days * DAY_S)
return 1
