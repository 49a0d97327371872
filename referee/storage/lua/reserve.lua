-- Reserve one of a bot's match slots for a match that is about to be made. Needs reservations.lua.
--
-- KEYS 1 active matches of the bot (set)
--      2 reserved slots of the bot (zset)
-- ARGV 1 match id
--      2 holder of the reservation
--      3 how many slots the bot has
--      4 lifetime of a reservation, in ms
-- returns 1 if the match has a slot, new or from before; else 0, and nothing has changed
local active_key, reserved_key = KEYS[1], KEYS[2]
local match, holder, slots, lifetime = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
redis.call('ZREMRANGEBYSCORE', reserved_key, '-inf', string.format('%.0f', now))
-- Made while the clock was ahead.
redis.call('ZREMRANGEBYSCORE', reserved_key, string.format('(%.0f', now + lifetime), '+inf')
if redis.call('SISMEMBER', active_key, match) == 1 then return 1 end
local reserved = {}
for _, reservation in ipairs(redis.call('ZRANGE', reserved_key, 0, -1)) do
  reserved[reserved_match(reservation)] = true
end
if not reserved[match] then
  local taken = redis.call('SCARD', active_key)
  for other in pairs(reserved) do
    if redis.call('SISMEMBER', active_key, other) == 0 then taken = taken + 1 end
  end
  if taken >= slots then return 0 end
end
redis.call('ZADD', reserved_key, string.format('%.0f', now + lifetime), match .. '/' .. holder)
return 1
