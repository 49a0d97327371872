-- Raise the number of segments of which Redis holds nothing any more.
--
-- KEYS 1 that number (string)
-- ARGV 1 the new number
-- returns the number afterwards
local removed_key, new = KEYS[1], tonumber(ARGV[1])

local removed = tonumber(redis.call('GET', removed_key) or '0')
if new <= removed then return removed end
redis.call('SET', removed_key, string.format('%.0f', new))
return new
