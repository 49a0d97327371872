-- Subtracts a void match from the totals of its ladder, once. Needs totals.lua.
--
-- KEYS: the round; its open matches (hash match -> table); its matches taken back (set); units with
--       matches taken back (set); the version of the standings; then the totals, cross table rows and group sums, in any order
-- ARGV: the match id; JSON [its unit (its group or itself), index of the key of its group's sums or 0, its lines (totals.lua)]
-- Returns 1, or 0 if the match is not counted yet or was taken back before; then nothing is written.
local round_key, open_key, taken_back_key, changed_key, version_key = unpack(KEYS, 1, 5)
local match = ARGV[1]
local unit, group, lines = unpack(cjson.decode(ARGV[2]))

if redis.call('HEXISTS', open_key, match) == 1 then return 0 end
if redis.call('SADD', taken_back_key, match) == 0 then return 0 end
redis.call('SADD', changed_key, unit)
gather(group, -1, lines)
change_gathered()
redis.call('INCR', version_key)
redis.call('HINCRBY', round_key, 'aborted', 1)
return 1
