-- A match in one list: among those not over, or among the finished, never in both, and once finished for good.
--
-- KEYS 1 matches that are not over by creation (zset)  2 finished matches by end (zset)
-- ARGV 1 match id  2 its instant in ms  3 '1' when it is over, else '0'
-- returns 1 when it was new to its list, else 0
if ARGV[3] == '1' then
  redis.call('ZREM', KEYS[1], ARGV[1])
  return redis.call('ZADD', KEYS[2], ARGV[2], ARGV[1])
end
if redis.call('ZSCORE', KEYS[2], ARGV[1]) then return 0 end
return redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
