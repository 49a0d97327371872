-- Stores a review that is to be computed, unless it exists. One whose computation failed is replaced.
--
-- KEYS: the review (hash); its moves (list); reviews that wait, by ms (zset); reviews of the owner that wait (set);
--       ended reviews, by ms (zset)
-- ARGV: the current time in ms, or ''; the match; the owner's name; how many reviews of an owner may wait; how
--       many of all owners
-- Returns 1, or 0 if too many wait; then nothing is written.
local review_key, moves_key, waiting_key, owner_key, ended_key = unpack(KEYS)
local given_now, match, owner, most_of_owner, most = unpack(ARGV)

local state, failure, jobs = unpack(redis.call('HMGET', review_key, 'state', 'failure', 'jobs'))
if state and failure ~= 'errors' then return 1 end
if redis.call('SCARD', owner_key) >= tonumber(most_of_owner) then return 0 end
if redis.call('ZCARD', waiting_key) >= tonumber(most) then return 0 end
redis.call('DEL', review_key, moves_key)
redis.call('ZREM', ended_key, match)
local now = text_of(now_ms(given_now))
redis.call('HSET', review_key, 'owner', owner, 'requested', now, 'state', 'waiting')
-- The count goes on: a job with an earlier number may still be known to the queue.
if jobs then redis.call('HSET', review_key, 'jobs', jobs) end
redis.call('ZADD', waiting_key, now, match)
redis.call('SADD', owner_key, match)
return 1
