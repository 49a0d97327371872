-- Subtracts a void unit from the totals of its ladder, once. Needs totals.lua.
--
-- KEYS: the round; its open matches (hash match -> table); its matches taken back (set); the version of the standings;
--       then the totals and cross table rows, in any order
-- ARGV: JSON [its matches, its lines (totals.lua)]
-- Returns 1, or 0 if a match is not counted yet or all were taken back before; then nothing is written.
local round_key, open_key, taken_back_key, version_key = unpack(KEYS, 1, 4)
local matches, lines = unpack(cjson.decode(ARGV[1]))

for _, match in ipairs(matches) do
  if redis.call('HEXISTS', open_key, match) == 1 then return 0 end
end
local gone = redis.call('SADD', taken_back_key, unpack(matches))
if gone == 0 then return 0 end
gather(-1, lines)
change_gathered()
redis.call('INCR', version_key)
redis.call('HINCRBY', round_key, 'aborted', gone)
return 1
