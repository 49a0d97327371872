-- List matches among the active or the finished ones, never in both. A finished match stays finished.
--
-- KEYS 1 active matches (zset by creation)
--      2 finished matches (zset by end)
-- ARGV for each match: its id, its instant in ms, '1' if it is over, else '0'
-- returns how many matches were new to their list
local active_key, finished_key = KEYS[1], KEYS[2]
local BATCH = 1000

local new, over, ends = 0, {}, {}

local function finish()
  if #over == 0 then return end
  redis.call('ZREM', active_key, unpack(over))
  new = new + redis.call('ZADD', finished_key, unpack(ends))
  over, ends = {}, {}
end

for i = 1, #ARGV, 3 do
  local match, at, is_over = ARGV[i], ARGV[i + 1], ARGV[i + 2] == '1'
  if is_over then
    over[#over + 1] = match
    ends[#ends + 1] = at
    ends[#ends + 1] = match
    if #over == BATCH then finish() end
  elseif not redis.call('ZSCORE', finished_key, match) then
    new = new + redis.call('ZADD', active_key, at, match)
  end
end
finish()
return new
