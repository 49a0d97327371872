-- Reads events of an account's log.
--
-- KEYS: the number of the last event; the log (list of JSON)
-- ARGV: the number after which to read; how many events
-- Returns the number of the last event, that of the oldest in the log, and the events.
local last_key, log_key = unpack(KEYS)
local after, most = tonumber(ARGV[1]), tonumber(ARGV[2])

local last = tonumber(redis.call('GET', last_key) or '0')
local oldest = last - redis.call('LLEN', log_key) + 1
local from = math.max(0, after + 1 - oldest)
return {last, oldest, redis.call('LRANGE', log_key, from, from + most - 1)}
