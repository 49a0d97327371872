-- Stores a review that is to be computed, unless it exists.
--
-- KEYS: the review (hash); reviews that wait, by ms (zset); reviews of the owner that wait (set)
-- ARGV: the current time in ms, or ''; the review's id; the match; the effort; the owner's name; how many reviews of an
--       owner may wait; how many of all owners
-- Returns 1, or 0 if too many wait; then nothing is written.
local review_key, waiting_key, owner_key = unpack(KEYS)
local given_now, review, match, effort, owner, most_of_owner, most = unpack(ARGV)

if redis.call('EXISTS', review_key) == 1 then return 1 end
if redis.call('SCARD', owner_key) >= tonumber(most_of_owner) then return 0 end
if redis.call('ZCARD', waiting_key) >= tonumber(most) then return 0 end
local now = text_of(now_ms(given_now))
redis.call('HSET', review_key, 'match', match, 'effort', effort, 'owner', owner, 'requested', now, 'state', 'waiting')
redis.call('ZADD', waiting_key, now, review)
redis.call('SADD', owner_key, review)
return 1
