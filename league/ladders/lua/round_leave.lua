-- Releases the lease of a helper. After an unclean release the next worker must look for unfinished work.
--
-- KEYS: the round
-- ARGV: the helper; '1' for a clean release, else '0'
-- Returns 1, or 0 if the lease had expired and was noticed; then nothing is written.
local round_key = KEYS[1]
local helper, clean = unpack(ARGV)

local field = 'helper:' .. helper
if redis.call('HEXISTS', round_key, field) == 0 then return 0 end
if clean == '1' then
  redis.call('HDEL', round_key, field)
else
  redis.call('HSET', round_key, field, '0 0')
end
return 1
