-- The luck of a unit is added to its ladder's sums, once, and it waits no more.
--
-- KEYS 1 units that wait  2 what units added  3 lines of luck
-- ARGV 1 unit  2 the stamp with which it waited when it was reckoned  3 what it adds (luck.lua), '' nothing
-- returns 1, or 0 if it waits with that stamp no more: it was added, or changed meanwhile; nothing has changed then
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('HDEL', KEYS[1], ARGV[1])
if ARGV[3] ~= '' then
  luck_added(KEYS[3], ARGV[3], 1)
  redis.call('HSET', KEYS[2], ARGV[1], ARGV[3])
end
return 1
