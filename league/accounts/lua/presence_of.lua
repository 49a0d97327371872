-- Reads which of some marks of bots hold.
--
-- KEYS: marks (zset by the end of their time)
-- ARGV: the current time in ms, or ''; the longest time of a mark in ms; then the marks
-- Returns the marks that hold.
local marks_key = KEYS[1]
local now, longest_ms = now_ms(ARGV[1]), ARGV[2]
local FIRST_MARK = 3

local found = {}
for i = FIRST_MARK, #ARGV do
  local mark = ARGV[i]
  local holds_until = redis.call('ZSCORE', marks_key, mark)
  if runs(holds_until, now, longest_ms) then found[#found + 1] = mark end
end
return found
