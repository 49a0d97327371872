-- A round fails: it makes no further tables. Matches that were made stay open, and count when they are over.
--
-- KEYS 1 round  2 rounds of the ladder
-- ARGV 1 worker  2 reason  3 now in ms or ''
-- returns 1, or 0 if the round is not running or the lease is not this worker's; nothing has changed then
local round = redis.call('HMGET', KEYS[1], 'state', 'worker')
if round[1] ~= 'running' or round[2] ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'state', 'failed', 'reason', ARGV[2], 'ended', text_of(now_ms(ARGV[3])))
redis.call('HDEL', KEYS[1], 'worker', 'until', 'raised')
end_round(KEYS[2], string.match(KEYS[1], '(%d+)$'))
return 1
