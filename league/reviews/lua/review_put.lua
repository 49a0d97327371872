-- Adds moves to a review, renews its lease, and ends it with its last moves.
--
-- KEYS: the review (hash); its moves (list); reviews that wait, by ms (zset); reviews of the owner that wait (set);
--       ended reviews, by ms (zset)
-- ARGV: the current time in ms, or ''; the match; the worker; the number of moves that the review has; the length
--       of the lease in ms; how long an ended review is kept, in s; the state; the number of decisions; 1 if the match
--       has more, else 0; why the review failed, or ''; then the moves (JSON)
-- Returns 1; 0 without effect if another worker has the review, or it has another number of moves.
local review_key, moves_key, waiting_key, owner_key, ended_key = unpack(KEYS)
local given_now, match, worker, known, lease_ms, kept_s, state, total, truncated, failure = unpack(ARGV)
local FIRST_MOVE = 11

if redis.call('HGET', review_key, 'worker') ~= worker then return 0 end
if redis.call('LLEN', moves_key) ~= tonumber(known) then return 0 end
for i = FIRST_MOVE, #ARGV do
  redis.call('RPUSH', moves_key, ARGV[i])
end
if #ARGV >= FIRST_MOVE then redis.call('HDEL', review_key, 'attempts') end
redis.call('HSET', review_key, 'state', state, 'total', total, 'truncated', truncated)
local now = now_ms(given_now)
if state == 'running' then
  redis.call('ZADD', waiting_key, text_of(now + tonumber(lease_ms)), match)
  return 1
end
redis.call('HSET', review_key, 'finished', text_of(now))
if failure ~= '' then redis.call('HSET', review_key, 'failure', failure) end
redis.call('HDEL', review_key, 'worker')
redis.call('ZREM', waiting_key, match)
redis.call('SREM', owner_key, match)
redis.call('ZADD', ended_key, text_of(now), match)
redis.call('EXPIRE', review_key, kept_s)
redis.call('EXPIRE', moves_key, kept_s)
return 1
