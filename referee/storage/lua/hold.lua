-- Stops the service time of a bucket on purpose, or lets it go on and credits the stop.
--
-- KEYS 1 clock of the bucket
-- ARGV 1 '1' to hold, '0' to go on  2 number of the decision: an older one than the last changes nothing
-- returns 1 when that changed something, else 0
local key = KEYS[1]
local clock = redis.call('HMGET', key, 'held', 'decision')
local held = tonumber(clock[1] or nil)
if tonumber(clock[2] or '0') > tonumber(ARGV[2]) then return 0 end
redis.call('HSET', key, 'decision', ARGV[2])
if ARGV[1] == '1' then
  if held then return 0 end
  local now = redis_ms()
  local beat = tonumber(redis.call('HGET', key, 'beat') or nil)
  if beat and now - beat >= GAP_MS then now = beat elseif beat then now = math.min(now, beat + SLACK_MS) end
  keep_floor(key)
  redis.call('HSET', key, 'held', now)
  return 1
end
if not held then return 0 end
local now = redis_ms()
keep_floor(key)
redis.call('HINCRBY', key, 'credited', now - held)
redis.call('HSET', key, 'beat', now)
redis.call('HDEL', key, 'held')
return 1
