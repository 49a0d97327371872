-- Functions for scripts that may begin or end a suspension.
--
-- has_bad_row(matches_key, limit) -> whether the last matches of a bot contain this many bad ones in a row
local function has_bad_row(matches_key, limit)
  local in_a_row = 0
  for _, each in ipairs(redis.call('ZRANGE', matches_key, 0, -1)) do
    in_a_row = string.sub(each, -1) == '1' and in_a_row + 1 or 0
    if in_a_row == limit then return true end
  end
  return false
end
