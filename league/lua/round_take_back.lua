-- A match that was counted is void: what it added to the sums of its ladder is taken back, once.
--
-- KEYS 1 round  2 open matches of the round  3 matches taken back (set)  4 sums of the match's group
--      5 units whose luck waits  6 what units added  7 lines of luck  8 standings  9 … rows of the cross table
-- ARGV 1 match id  2 id of its duplicate group, '' for none  then lines as the match had made them grow (sums.lua)
-- returns 1, or 0 if it is not counted yet or taken back already; nothing has changed then
if redis.call('HEXISTS', KEYS[2], ARGV[1]) == 1 then return 0 end
if redis.call('SADD', KEYS[3], ARGV[1]) == 0 then return 0 end
change_all(ARGV[2] ~= '' and KEYS[4] or '', -1, 3)
luck_due(KEYS[5], KEYS[6], KEYS[7], ARGV[2] ~= '' and ARGV[2] or ARGV[1])
redis.call('HINCRBY', KEYS[1], 'aborted', 1)
return 1
