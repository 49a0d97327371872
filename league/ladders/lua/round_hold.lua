-- A match is over whose group is not: it is open no more, and counted later.
--
-- KEYS 1 round  2 open matches of the round  3 held matches of the round
-- ARGV 1 match id  2 now in ms or ''
-- returns {0, 0, epoch, 0} if it is not among the open ones; nothing has changed then
--         {1, 1 if the round has tables left to make, epoch, 1 if a worker has its lease}
local round = redis.call('HMGET', KEYS[1], 'planned', 'made', 'epoch', 'until', 'state')
local epoch = tonumber(round[3] or '0')
local table_ = redis.call('HGET', KEYS[2], ARGV[1])
if not table_ then return {0, 0, epoch, 0} end
redis.call('HSET', KEYS[3], ARGV[1], table_)
redis.call('HDEL', KEYS[2], ARGV[1])
return {1, round[5] == 'running' and tonumber(round[2]) < tonumber(round[1]) and 1 or 0, epoch,
  tonumber(round[4] or '0') > now_ms(ARGV[2]) and 1 or 0}
