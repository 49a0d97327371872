-- Fails a round: no further tables are made. Matches already made stay open and count when they end.
--
-- KEYS: the round; the rounds of the ladder (hash)
-- ARGV: the worker; the reason; the current time in ms, or ''
-- Returns 1, or 0 if the round is not running or the worker does not hold its lease; then nothing is written.
local round_key, rounds_key = unpack(KEYS)
local worker, reason, given_now = unpack(ARGV)

local state, holder = unpack(redis.call('HMGET', round_key, 'state', 'worker'))
if state ~= 'running' or holder ~= worker then return 0 end
redis.call('HSET', round_key, 'state', 'failed', 'reason', reason, 'ended', text_of(now_ms(given_now)))
redis.call('HDEL', round_key, 'worker', 'until', 'raised')
end_round(rounds_key, string.match(round_key, '(%d+)$'))
return 1
