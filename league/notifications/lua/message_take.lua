-- Leases messages that are due.
--
-- KEYS: messages that wait, by ms (zset)
-- ARGV: the current time in ms, or ''; how many messages; the length of the lease in ms
-- Returns the ids.
local due_key = KEYS[1]
local given_now, most, lease_ms = unpack(ARGV)

local now = now_ms(given_now)
local taken = redis.call('ZRANGEBYSCORE', due_key, '-inf', text_of(now), 'LIMIT', 0, most)
for _, message in ipairs(taken) do
  redis.call('ZADD', due_key, text_of(now + tonumber(lease_ms)), message)
end
return taken
