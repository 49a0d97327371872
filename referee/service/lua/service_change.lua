-- Change the state of the service: running, draining or paused.
--
-- KEYS 1 service (hash)
-- ARGV 1 state
--      2 reason
-- returns {state, since, reason, decision, settled, announcement} afterwards; unchanged if the service was in this state
local service_key = KEYS[1]
local state, reason = ARGV[1], ARGV[2]

local time = redis.call('TIME')
local now = string.format('%.0f', tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000))
if (redis.call('HGET', service_key, 'state') or 'running') ~= state then
  redis.call('HINCRBY', service_key, 'decision', 1)
  redis.call('HSET', service_key, 'state', state, 'since', now, 'reason', reason)
end
return redis.call('HMGET', service_key, 'state', 'since', 'reason', 'decision', 'settled', 'announcement')
