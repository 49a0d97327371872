-- Deletes an ended review. One that was requested again meanwhile stays.
--
-- KEYS: the review (hash); its moves (list); ended reviews, by ms (zset)
-- ARGV: the match
-- Returns 1; 0 without effect if the review has not ended.
local review_key, moves_key, ended_key = unpack(KEYS)
local match = ARGV[1]

if redis.call('ZREM', ended_key, match) == 0 then return 0 end
redis.call('DEL', review_key, moves_key)
return 1
