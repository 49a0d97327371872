-- Reads which of some marks of bots hold.
--
-- KEYS: marks (zset by the end of their time)
-- ARGV: the current time in ms, or ''; then the marks
-- Returns the marks that hold.
local marks_key = KEYS[1]
local now = now_ms(ARGV[1])
local FIRST_MARK = 2

local found = {}
for i = FIRST_MARK, #ARGV do
  local mark = ARGV[i]
  local holds_until = redis.call('ZSCORE', marks_key, mark)
  if holds_until and tonumber(holds_until) > now then found[#found + 1] = mark end
end
return found
