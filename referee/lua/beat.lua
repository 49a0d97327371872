-- An API process says that it serves; a gap before it is credited to every clock of the bucket: a long one whole, of a
-- short one what service time stood still in it, so that it does not leap over what was asked meanwhile. A beat that
-- comes right after another's adds nothing, and writes nothing.
--
-- KEYS 1 clock of the bucket
-- returns the ms credited now, 0 mostly
local key = KEYS[1]
local clock = redis.call('HMGET', key, 'beat', 'held')
if clock[2] then return 0 end
local now = redis_ms()
local beat = tonumber(clock[1])
local gap = 0
if beat and now - beat >= GAP_MS then
  gap = now - beat
  keep_floor(key)
elseif beat and now - beat > SLACK_MS then
  gap = now - beat - SLACK_MS
end
if gap > 0 then redis.call('HINCRBY', key, 'credited', gap) end
if not beat or now - beat >= 50 then redis.call('HSET', key, 'beat', now) end
return gap
