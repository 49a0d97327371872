-- Releases the lease of a worker, which has the round's or a helper's. After an unclean release the next worker must look
-- for unfinished work.
--
-- KEYS: the round
-- ARGV: the worker; '1' for a clean release, else '0'
-- Returns 1, or 0 if the worker does not hold a lease; then nothing is written.
local round_key = KEYS[1]
local worker, clean = unpack(ARGV)

local helper_field = 'helper:' .. worker
if redis.call('HGET', round_key, 'worker') == worker then
  if clean == '1' then
    redis.call('HDEL', round_key, 'worker', 'until', 'raised')
  else
    redis.call('HSET', round_key, 'until', 0)
  end
elseif redis.call('HEXISTS', round_key, helper_field) == 0 then
  return 0
elseif clean == '1' then
  redis.call('HDEL', round_key, helper_field)
else
  redis.call('HSET', round_key, helper_field, '0 0')
end
return 1
