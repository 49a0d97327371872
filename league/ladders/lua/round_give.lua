-- Releases the lease of a round. After an unclean release the next worker must look for unfinished work.
--
-- KEYS: the round
-- ARGV: the worker; '1' for a clean release, else '0'
-- Returns 1, or 0 if the worker does not hold the lease; then nothing is written.
local round_key = KEYS[1]
local worker, clean = unpack(ARGV)

if redis.call('HGET', round_key, 'worker') ~= worker then return 0 end
if clean == '1' then
  redis.call('HDEL', round_key, 'worker', 'until', 'raised')
else
  redis.call('HSET', round_key, 'until', 0)
end
return 1
