-- Who of these bots is online.
--
-- KEYS 1 bots online (zset by the instant until which they are)
-- ARGV 1 now in ms or ''  2 … bots
-- returns those of them
local now = now_ms(ARGV[1])
local found = {}
for i = 2, #ARGV do
  local till = redis.call('ZSCORE', KEYS[1], ARGV[i])
  if till and tonumber(till) > now then found[#found + 1] = ARGV[i] end
end
return found
