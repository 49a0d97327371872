-- An API process says that it serves; a gap before it is credited to every clock of the bucket: a long one whole, of a
-- short one what service time stood still in it, so that it does not leap over what was asked meanwhile. A beat that
-- comes right after another's adds nothing, and writes nothing.
--
-- KEYS 1 clock of the bucket
-- ARGV 1 how long ago, in ms, the slowest API process served (`referee.service.processes`)
-- returns the ms credited now, 0 mostly
local key, late = KEYS[1], tonumber(ARGV[1])
local clock = redis.call('HMGET', key, 'beat', 'held')
if clock[2] then return 0 end
local now = redis_ms()
local served = now - late
local beat = tonumber(clock[1])
if beat and served <= beat then return 0 end
local gap = 0
if beat and served - beat >= GAP_MS then
  gap = served - beat
  keep_floor(key)
elseif beat and late <= SLACK_MS then
  gap = math.max(0, now - beat - SLACK_MS)
end
if gap > 0 then redis.call('HINCRBY', key, 'credited', gap) end
if not beat or served - beat >= 50 then redis.call('HSET', key, 'beat', served) end
return gap
