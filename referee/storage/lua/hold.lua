-- Pause the service time of a bucket, or resume it and credit the pause.
--
-- KEYS 1 clock of the bucket
-- ARGV 1 '1' to pause, '0' to resume
--      2 number of the decision; one older than the last changes nothing
-- returns 1 if that changed the state, else 0
local clock_key = KEYS[1]
local pause, decision = ARGV[1] == '1', ARGV[2]

local clock = redis.call('HMGET', clock_key, 'held', 'decision')
local held, last_decision = tonumber(clock[1] or nil), tonumber(clock[2] or '0')
if last_decision > tonumber(decision) then return 0 end
redis.call('HSET', clock_key, 'decision', decision)
if pause then
  if held then return 0 end
  local now = redis_ms()
  local beat = tonumber(redis.call('HGET', clock_key, 'beat') or nil)
  if beat and now - beat >= GAP_MS then now = beat elseif beat then now = math.min(now, beat + SLACK_MS) end
  keep_floor(clock_key)
  redis.call('HSET', clock_key, 'held', now)
  return 1
end
if not held then return 0 end
local now = redis_ms()
keep_floor(clock_key)
redis.call('HINCRBY', clock_key, 'credited', now - held)
redis.call('HSET', clock_key, 'beat', now)
redis.call('HDEL', clock_key, 'held')
return 1
