-- The service is to run, drain or be paused.
--
-- KEYS 1 service (hash)
-- ARGV 1 state  2 reason
-- returns how it stands: {state, since, reason, decision, settled}; for the state that it has, as it stood
local time = redis.call('TIME')
local now = string.format('%.0f', tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000))
if (redis.call('HGET', KEYS[1], 'state') or 'running') ~= ARGV[1] then
  redis.call('HINCRBY', KEYS[1], 'decision', 1)
  redis.call('HSET', KEYS[1], 'state', ARGV[1], 'since', now, 'reason', ARGV[2])
end
return redis.call('HMGET', KEYS[1], 'state', 'since', 'reason', 'decision', 'settled')
