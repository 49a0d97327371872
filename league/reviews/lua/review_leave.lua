-- Returns the lease of a review, which waits behind the others from now on.
--
-- KEYS: the review (hash); reviews that wait, by ms (zset)
-- ARGV: the current time in ms, or ''; the match; the worker; for how long nobody else gets it,
--       in ms
-- Returns 1; 0 without effect if another worker has the review.
local review_key, waiting_key = unpack(KEYS)
local given_now, match, worker, for_ms = unpack(ARGV)

if redis.call('HGET', review_key, 'worker') ~= worker then return 0 end
redis.call('HDEL', review_key, 'worker', 'attempts')
redis.call('ZADD', waiting_key, 'XX', text_of(now_ms(given_now) + tonumber(for_ms)), match)
return 1
