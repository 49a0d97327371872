-- Counts towards a rate, in a window that begins with the first that is counted.
--
-- KEYS 1 the counter
-- ARGV 1 how much to count  2 length of the window in ms
-- returns what is counted in this window so far, and how many ms of it are left
local counted = redis.call('INCRBY', KEYS[1], ARGV[1])
local left = redis.call('PTTL', KEYS[1])
if left < 0 then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  left = tonumber(ARGV[2])
end
return {counted, left}
