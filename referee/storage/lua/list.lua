-- Matches in one list: each among those not over, or among the finished, never in both, and once finished for good.
--
-- KEYS 1 matches that are not over by creation (zset)  2 finished matches by end (zset)
-- ARGV for each match: its id, its instant in ms, '1' when it is over, else '0'
-- returns how many were new to their list
local new, over, ends = 0, {}, {}

local function finish()
  if #over == 0 then return end
  redis.call('ZREM', KEYS[1], unpack(over))
  new = new + redis.call('ZADD', KEYS[2], unpack(ends))
  over, ends = {}, {}
end

for i = 1, #ARGV, 3 do
  local match, at = ARGV[i], ARGV[i + 1]
  if ARGV[i + 2] == '1' then
    over[#over + 1] = match
    ends[#ends + 1] = at
    ends[#ends + 1] = match
    if #over == 1000 then finish() end
  elseif not redis.call('ZSCORE', KEYS[2], match) then
    new = new + redis.call('ZADD', KEYS[1], at, match)
  end
end
finish()
return new
