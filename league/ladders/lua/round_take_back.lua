-- A match that was counted is void: what it added to the sums of its ladder is taken back, once.
--
-- KEYS 1 round  2 open matches of the round  3 matches taken back (set)  4 units whose luck waits  5 what units added
--      6 lines of luck  7 … standings, rows of the cross table and sums of the match's group, in any order
-- ARGV 1 match id  2 [its unit (luck.lua), number of the key of the sums of its group, 0 for none, what it had added
--      (sums.lua)] as JSON
-- returns 1, or 0 if it is not counted yet or taken back already; nothing has changed then
if redis.call('HEXISTS', KEYS[2], ARGV[1]) == 1 then return 0 end
if redis.call('SADD', KEYS[3], ARGV[1]) == 0 then return 0 end
local unit, group, lines = unpack(cjson.decode(ARGV[2]))
gather(group, -1, lines)
change_gathered()
luck_due(KEYS[4], KEYS[5], KEYS[6], unit)
redis.call('HINCRBY', KEYS[1], 'aborted', 1)
return 1
