-- Return what waits in a bucket.
--
-- KEYS 1 deadlines of the bucket (zset by service time)
--      2 outbox of the bucket (list)
--      3 clock of the bucket
-- ARGV 1 settling time in ms
-- returns {matches that are not over, entries of the outbox, ms since the oldest deadline was due}
local deadlines_key, outbox_key, clock_key = KEYS[1], KEYS[2], KEYS[3]
local settle_ms = tonumber(ARGV[1])

local now, runs, heartbeat = service_now(clock_key)
local late = 0
if runs then
  local first = redis.call('ZRANGE', deadlines_key, 0, 0, 'WITHSCORES')
  if first[2] then late = math.max(0, math.min(now - settle_ms, heartbeat) - tonumber(first[2])) end
end
return {redis.call('ZCARD', deadlines_key), redis.call('LLEN', outbox_key), late}
