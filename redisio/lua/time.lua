-- The time in scripts. This file is prepended to scripts that need it.
--
-- now_ms(given)    returns ms since 1970: `given` where a test sets it, Redis's own time where it is ''
-- text_of(number)  returns a whole number as digits, without an exponent
-- runs(ends, now, length)
--                  returns whether a period that ends at `ends`, if any, still runs. One that would take longer than
--                  `length`, the longest that there is, began while the clock was ahead: it is over
-- due_of(zset, now, longest, most)
--                  returns members whose instant has come, or is further ahead than `longest`
local function now_ms(given)
  if given ~= '' then return tonumber(given) end
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end
local function text_of(number) return string.format('%.0f', number) end
local function runs(ends, now, length)
  local left = tonumber(ends or '0') - now
  return left > 0 and left <= tonumber(length)
end

local function due_of(zset, now, longest, most)
  local due = redis.call('ZRANGEBYSCORE', zset, '-inf', text_of(now), 'LIMIT', 0, most)
  if #due > 0 then return due end
  return redis.call('ZRANGEBYSCORE', zset, '(' .. text_of(now + longest), '+inf', 'LIMIT', 0, most)
end
