-- Reads the ladders that are due in a schedule.
--
-- KEYS: the schedule (zset of ladder ids by due instant)
-- ARGV: the current time in ms, or ''; the maximum number of ladders
-- Returns {now, {ladder, instant, …}}, the earliest first.
local schedule_key = KEYS[1]
local now, limit = text_of(now_ms(ARGV[1])), ARGV[2]

return {now, redis.call('ZRANGEBYSCORE', schedule_key, '-inf', now, 'WITHSCORES', 'LIMIT', 0, limit)}
