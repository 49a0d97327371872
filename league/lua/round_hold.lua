-- A match is over whose group is not: it is open no more, and counted later.
--
-- KEYS 1 open matches of the round  2 held matches of the round
-- ARGV 1 match id
-- returns 1, or 0 if it was not among the open ones
local table_ = redis.call('HGET', KEYS[1], ARGV[1])
if not table_ then return 0 end
redis.call('HSET', KEYS[2], ARGV[1], table_)
redis.call('HDEL', KEYS[1], ARGV[1])
return 1
