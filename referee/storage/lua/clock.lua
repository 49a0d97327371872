-- Service time, prepended to every script that needs it.
--
-- service_now(key) -> ms since 1970 of service time of this bucket, whether it runs, and the service time up to which
--                     that is known: that of the last beat.
-- keep_floor(key)  makes what service_now answers now the least that it will ever answer.
--
-- The hash `key` has: `beat`, Redis time in ms at which an API process last said that it serves; `credited`, the
-- sum in ms of all pauses given back so far; `held`, Redis time since which the service is paused on purpose;
-- `decision`, the number of the last decision to hold or to go on; `floor`, the highest service time that may have been
-- told before a pause was given back; `manual`, a fixed service time (tests set it, nothing else does).
-- Service time stands still while the service is held, and from SLACK_MS after the last beat, so that nobody's clock
-- runs through our trouble. A gap of GAP_MS or more is given back whole by the next beat. Service time never steps back
-- for that: it stands at `floor` until what was given back has caught up. Nor does it leap: of a shorter gap the time in
-- which it stood is given back.
local GAP_MS = 1000
local SLACK_MS = 350

local function redis_ms()
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end

local function service_now(key)
  local clock = redis.call('HMGET', key, 'beat', 'credited', 'held', 'manual', 'floor')
  if clock[4] then return tonumber(clock[4]), true, tonumber(clock[4]) end
  local credited, floor = tonumber(clock[2]) or 0, tonumber(clock[5]) or 0
  if clock[3] then return math.max(tonumber(clock[3]) - credited, floor), false end
  local now = redis_ms()
  local beat = tonumber(clock[1])
  local runs = beat and now - beat <= SLACK_MS
  if beat and not runs then now = beat + SLACK_MS end
  if now - credited < floor then return floor, false end
  return now - credited, runs, beat and beat - credited
end

local function keep_floor(key)
  redis.call('HSET', key, 'floor', string.format('%.0f', (service_now(key))))
end
