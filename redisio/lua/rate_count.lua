-- Count towards a rate limit, in a window that begins with the first count.
--
-- KEYS 1 counter
-- ARGV 1 amount
--      2 length of the window in ms
-- returns {count in this window, ms until it ends}
local counter_key = KEYS[1]
local amount, window_ms = ARGV[1], tonumber(ARGV[2])

local counted = redis.call('INCRBY', counter_key, amount)
local left = redis.call('PTTL', counter_key)
if left < 0 or left > window_ms then  -- the clock was ahead when the window began
  redis.call('PEXPIRE', counter_key, window_ms)
  left = window_ms
end
return {counted, left}
