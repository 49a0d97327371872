-- Stores a batch of matches.
--
-- KEYS: batches (hash); batches by the instant at which they are due (zset)
-- ARGV: the current time in ms, or ''; the batch's id; the batch (JSON); the delay in ms after which it is due
-- Returns 1.
local batches_key, due_key = unpack(KEYS)
local given_now, batch, doc, delay_ms = unpack(ARGV)

redis.call('HSETNX', batches_key, batch, doc)
redis.call('ZADD', due_key, 'NX', text_of(now_ms(given_now) + tonumber(delay_ms)), batch)
return 1
