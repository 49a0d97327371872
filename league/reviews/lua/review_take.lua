-- Leases a review that waits.
--
-- KEYS: the review (hash); its moves (list); reviews that wait, by ms (zset)
-- ARGV: the current time in ms, or ''; the match; the worker; the length of the lease in ms
-- Returns {owner, the number of its moves, total or false, the number of this attempt}; false if it does not wait or
--         another worker has it.
local review_key, moves_key, waiting_key = unpack(KEYS)
local given_now, match, worker, lease_ms = unpack(ARGV)

local now, due = now_ms(given_now), redis.call('ZSCORE', waiting_key, match)
if not due or runs(due, now, lease_ms) then return false end
redis.call('ZADD', waiting_key, text_of(now + tonumber(lease_ms)), match)
redis.call('HSET', review_key, 'worker', worker)
redis.call('HINCRBY', review_key, 'jobs', 1)
local attempt = redis.call('HINCRBY', review_key, 'attempts', 1)
local owner, total = unpack(redis.call('HMGET', review_key, 'owner', 'total'))
return {owner, redis.call('LLEN', moves_key), total, attempt}
