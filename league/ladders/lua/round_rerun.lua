-- Replaces a match that did not count with a new match at the same table of the round. Each match is replaced once.
-- A round that is done is under way again. Needs under_way.lua.
--
-- KEYS: the round; its open matches (hash match -> table); the rounds of the ladder (hash); its reruns (hash match ->
--       replacement)
-- ARGV: the match id; the id of the replacement; the number of their table
-- Returns the id of the replacement: the one given, or the one stored earlier.
local round_key, open_key, rounds_key, reruns_key = unpack(KEYS)
local match, replacement, table_number = unpack(ARGV)

local known = redis.call('HGET', reruns_key, match)
if known then return known end
redis.call('HSET', reruns_key, match, replacement)
redis.call('HINCRBY', round_key, 'over', -1)
redis.call('HINCRBY', round_key, 'aborted', -1)
-- A failed round stays failed.
if redis.call('HGET', round_key, 'state') == 'done' then
  redis.call('HSET', round_key, 'state', 'running')
  redis.call('HDEL', round_key, 'ended')
  begin_round(rounds_key, string.match(round_key, '(%d+)$'))
end
redis.call('HSET', open_key, replacement, table_number)
return replacement
