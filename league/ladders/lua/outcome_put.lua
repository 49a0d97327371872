-- What a group came to, among the last so many.
--
-- KEYS 1 outcomes by group  2 groups (zset by their ends)
-- ARGV 1 group  2 when it ended, in ms  3 outcome (JSON)  4 how many are kept
-- returns 1
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
redis.call('ZADD', KEYS[2], ARGV[2], ARGV[1])
for _, old in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1 - tonumber(ARGV[4]))) do
  redis.call('HDEL', KEYS[1], old)
  redis.call('ZREM', KEYS[2], old)
end
return 1
