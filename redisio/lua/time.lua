-- Prepended to scripts that need to know what time it is.
--
-- now_ms(given) -> ms since 1970: `given` where a test sets it, else Redis's own clock ('' stands for it)
local function now_ms(given)
  if given ~= '' then return tonumber(given) end
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end
local function text_of(number) return string.format('%.0f', number) end
