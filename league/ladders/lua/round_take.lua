-- Takes the lease of a running round that is free, expired or held by this worker.
--
-- KEYS: the round
-- ARGV: the worker; the length of the lease in ms; the current time in ms, or ''
-- Returns {1 if the worker holds the lease now, 1 if nobody left work unfinished, epoch, how many tables helpers have in
-- hand}. Work may be unfinished if the last worker did not release the lease cleanly, or a helper's lease has expired.
local round_key = KEYS[1]
local worker, lease_ms, given_now = unpack(ARGV)

local state, holder, lease_end, stored_epoch = unpack(redis.call('HMGET', round_key, 'state', 'worker', 'until', 'epoch'))
local epoch = tonumber(stored_epoch or '0')
if state ~= 'running' then return {0, 0, epoch, 0} end
local now = now_ms(given_now)
if holder and holder ~= worker and runs(lease_end, now, lease_ms) then return {0, 0, epoch, 0} end
local clean, in_hand = holder and 0 or 1, 0
for _, field in ipairs(redis.call('HKEYS', round_key)) do
  if string.sub(field, 1, 7) == 'helper:' then
    local helper_end, tables = string.match(redis.call('HGET', round_key, field), '(%d+) (%d+)')
    if runs(helper_end, now, lease_ms) then
      in_hand = in_hand + tonumber(tables)
    else
      clean = 0
      redis.call('HDEL', round_key, field)
    end
  end
end
redis.call('HSET', round_key, 'worker', worker, 'until', text_of(now + tonumber(lease_ms)), 'epoch', epoch + 1)
return {1, clean, epoch + 1, in_hand}
