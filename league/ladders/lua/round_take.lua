-- Takes the lease of a running round that is free, expired or held by this worker.
--
-- KEYS: the round
-- ARGV: the worker; the length of the lease in ms; the current time in ms, or ''
-- Returns {1 if the worker holds the lease now, 1 if the last worker released it cleanly, epoch}.
local round_key = KEYS[1]
local worker, lease_ms, given_now = unpack(ARGV)

local state, holder, lease_end, stored_epoch = unpack(redis.call('HMGET', round_key, 'state', 'worker', 'until', 'epoch'))
local epoch = tonumber(stored_epoch or '0')
if state ~= 'running' then return {0, 0, epoch} end
local now = now_ms(given_now)
if holder and holder ~= worker and tonumber(lease_end) > now then return {0, 0, epoch} end
redis.call('HSET', round_key, 'worker', worker, 'until', text_of(now + tonumber(lease_ms)), 'epoch', epoch + 1)
return {1, holder and 0 or 1, epoch + 1}
