-- Raise the number of segments whose matches are all replaced by pointers.
--
-- KEYS 1 that number (string)
-- ARGV 1 the new number
-- returns the number afterwards
local pointed_key, new = KEYS[1], tonumber(ARGV[1])

local pointed = tonumber(redis.call('GET', pointed_key) or '0')
if new <= pointed then return pointed end
redis.call('SET', pointed_key, ARGV[1])
return new
