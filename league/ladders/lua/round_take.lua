-- A worker takes a round's lease, if nobody has it or it has run out.
--
-- KEYS 1 round
-- ARGV 1 worker  2 length of the lease in ms  3 now in ms or ''
-- returns {1 if it is ours now, 1 if the last worker gave it back in good order, epoch}
local round = redis.call('HMGET', KEYS[1], 'state', 'worker', 'until', 'epoch')
local epoch = tonumber(round[4] or '0')
if round[1] ~= 'running' then return {0, 0, epoch} end
local now = now_ms(ARGV[3])
if round[2] and round[2] ~= ARGV[1] and tonumber(round[3]) > now then return {0, 0, epoch} end
redis.call('HSET', KEYS[1], 'worker', ARGV[1], 'until', text_of(now + tonumber(ARGV[2])), 'epoch', epoch + 1)
return {1, round[2] and 0 or 1, epoch + 1}
