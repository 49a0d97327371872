-- The time in scripts. This file is prepended to scripts that need it.
--
-- now_ms(given)    returns ms since 1970: `given` where a test sets it, Redis's own time where it is ''
-- text_of(number)  returns a whole number as digits, without an exponent
local function now_ms(given)
  if given ~= '' then return tonumber(given) end
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end
local function text_of(number) return string.format('%.0f', number) end
