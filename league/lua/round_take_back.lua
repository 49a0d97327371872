-- A match that was counted is void: what it added to the sums of its ladder is taken back, once.
--
-- KEYS 1 round  2 open matches of the round  3 matches taken back (set)  4 standings  5 … rows of the cross table
-- ARGV 1 match id  then number of a key, field, by how much the match had made it grow, …
-- returns 1, or 0 if it is not counted yet or taken back already; nothing has changed then
if redis.call('HEXISTS', KEYS[2], ARGV[1]) == 1 then return 0 end
if redis.call('SADD', KEYS[3], ARGV[1]) == 0 then return 0 end
for i = 2, #ARGV, 3 do
  redis.call('HINCRBY', KEYS[tonumber(ARGV[i])], ARGV[i + 1], 0 - tonumber(ARGV[i + 2]))
end
redis.call('HINCRBY', KEYS[1], 'aborted', 1)
return 1
