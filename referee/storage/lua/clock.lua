-- Service time. This file is prepended to every script that needs it.
--
-- service_now(key)  returns the bucket's service time in ms since 1970, whether it runs, and the service time of the
--                   last heartbeat, up to which that is certain.
--
-- `key` is a hash with these fields, all in ms:
--   beat      Redis time at which an API process last reported that it serves (the heartbeat)
--   credited  the sum of all gaps that clocks were credited so far
--   held      Redis time since which the service has been paused by an operator
--   decision  number of the last decision to pause or resume
--   floor     highest service time that may have been read before a gap was credited
--   manual    a fixed service time; only tests set it
--   archived  not a time: how many matches of the bucket have moved to the archive (commit_new.lua)
--
-- Service time stands still during a pause, and from SLACK_MS after the last heartbeat, so that no clock runs while the
-- service is down. The next heartbeat credits a gap of GAP_MS or more in full, and of a shorter gap the time for which
-- service time stood still. So service time never jumps forward. It never steps back either: after a credit it stands
-- at `floor` until it has caught up.
local GAP_MS = 1000
local SLACK_MS = 350

local function redis_ms()
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end

local function service_now(key)
  local clock = redis.call('HMGET', key, 'beat', 'credited', 'held', 'manual', 'floor')
  local beat, held, manual = tonumber(clock[1] or nil), tonumber(clock[3] or nil), tonumber(clock[4] or nil)
  local credited, floor = tonumber(clock[2] or '0'), tonumber(clock[5] or '0')
  if manual then return manual, true, manual end
  if held then return math.max(held - credited, floor), false end
  local now = redis_ms()
  local runs = beat and now - beat <= SLACK_MS
  if beat and not runs then now = beat + SLACK_MS end
  if now - credited < floor then return floor, false end
  return now - credited, runs, beat and beat - credited
end
