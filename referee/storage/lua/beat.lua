-- Note the heartbeat of the API processes, and credit the gap before it to every clock of the bucket.
--
-- A gap of GAP_MS or more is credited in full. Of a shorter gap the script credits only the time for which service time
-- stood still, so that service time doesn't jump past questions asked meanwhile. While the slowest process is more than
-- SLACK_MS late, service time therefore keeps standing. A heartbeat right after another process's credits nothing and
-- writes nothing. Without a deadline there is nobody to credit.
--
-- KEYS 1 clock of the bucket
--      2 deadlines of the bucket (zset by service time)
-- ARGV 1 how long ago, in ms, the slowest API process served (`referee.service.processes`)
-- returns the ms credited now, usually 0; -1 if the bucket has no deadline
local clock_key, deadlines_key = KEYS[1], KEYS[2]
local late = tonumber(ARGV[1])

local clock = redis.call('HMGET', clock_key, 'beat', 'held')
local beat, held = tonumber(clock[1] or nil), clock[2]
if held then return 0 end
local now = redis_ms()
local served = now - late
local idle = redis.call('EXISTS', deadlines_key) == 0
local gap = 0
if beat and served <= beat then
  return idle and -1 or 0
elseif idle then
  gap = -1
elseif beat and served - beat >= GAP_MS then
  gap = served - beat
  keep_floor(clock_key)
elseif beat then
  gap = math.max(0, math.min(now, served + SLACK_MS) - (beat + SLACK_MS))
end
if gap > 0 then redis.call('HINCRBY', clock_key, 'credited', gap) end
if not beat or gap > 0 or served - beat >= 50 then redis.call('HSET', clock_key, 'beat', served) end
return gap
