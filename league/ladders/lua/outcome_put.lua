-- Stores the result of a duplicate group and keeps only the latest results.
--
-- KEYS: results (hash group -> JSON); groups (zset by the instant of their end)
-- ARGV: the group id; its end in ms; its result (JSON); how many results to keep
-- Returns 1.
local results_key, order_key = unpack(KEYS)
local group, ended, result = unpack(ARGV)
local kept = tonumber(ARGV[4])

redis.call('HSET', results_key, group, result)
redis.call('ZADD', order_key, ended, group)
for _, old in ipairs(redis.call('ZRANGE', order_key, 0, -1 - kept)) do
  redis.call('HDEL', results_key, old)
  redis.call('ZREM', order_key, old)
end
return 1
