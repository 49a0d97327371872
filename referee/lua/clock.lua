-- Service time, prepended to every script that needs it.
--
-- service_now(key) -> ms since 1970 of service time of this bucket, and whether the service is up.
--
-- The hash `key` has: `beat`, Redis time in ms at which an API process last said that it serves; `credited`, the
-- sum in ms of all pauses given back so far; `held`, Redis time since which the service is paused on purpose;
-- `manual`, a fixed service time (tests set it, nothing else does).
-- While nobody has said for a second that it serves, and while the service is held, service time stands still,
-- so that nobody's clock runs through our trouble. The next beat gives the gap back for good.
local GAP_MS = 1000

local function redis_ms()
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end

local function service_now(key)
  local clock = redis.call('HMGET', key, 'beat', 'credited', 'held', 'manual')
  if clock[4] then return tonumber(clock[4]), true end
  local credited = tonumber(clock[2]) or 0
  if clock[3] then return tonumber(clock[3]) - credited, false end
  local now = redis_ms()
  local beat = tonumber(clock[1])
  if not beat then return now - credited, false end
  if now - beat >= GAP_MS then return beat - credited, false end
  return now - credited, true
end
