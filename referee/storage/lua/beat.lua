-- Note the heartbeat of the API processes, and credit the gap before it to every clock of the bucket.
--
-- A gap of GAP_MS or more is credited in full. Of a shorter gap the script credits only the time for which service time
-- stood still, so that service time doesn't jump past questions asked meanwhile. While the slowest process is more than
-- SLACK_MS late, service time therefore keeps standing. A heartbeat right after another process's credits nothing and
-- writes nothing.
--
-- KEYS 1 clock of the bucket
-- ARGV 1 how long ago, in ms, the slowest API process served (`referee.service.processes`)
-- returns the ms credited now, usually 0
local clock_key = KEYS[1]
local late = tonumber(ARGV[1])

local clock = redis.call('HMGET', clock_key, 'beat', 'held')
local beat, held = tonumber(clock[1] or nil), clock[2]
if held then return 0 end
local now = redis_ms()
local served = now - late
if beat and served <= beat then return 0 end
local gap = 0
if beat and served - beat >= GAP_MS then
  gap = served - beat
  keep_floor(clock_key)
elseif beat then
  gap = math.max(0, math.min(now, served + SLACK_MS) - (beat + SLACK_MS))
end
if gap > 0 then redis.call('HINCRBY', clock_key, 'credited', gap) end
if not beat or gap > 0 or served - beat >= 50 then redis.call('HSET', clock_key, 'beat', served) end
return gap
