-- Stops the service time of a bucket on purpose, or lets it go on and credits the stop.
--
-- KEYS 1 clock of the bucket
-- ARGV 1 '1' to hold, '0' to go on
-- returns 1 when that changed something, else 0
local key = KEYS[1]
local held = tonumber(redis.call('HGET', key, 'held') or nil)
if ARGV[1] == '1' then
  if held then return 0 end
  local now = redis_ms()
  local beat = tonumber(redis.call('HGET', key, 'beat') or nil)
  if beat and now - beat >= GAP_MS then now = beat end
  redis.call('HSET', key, 'held', now)
  return 1
end
if not held then return 0 end
local now = redis_ms()
redis.call('HINCRBY', key, 'credited', now - held)
redis.call('HSET', key, 'beat', now)
redis.call('HDEL', key, 'held')
return 1
