-- Prepended to scripts that change the sums of a ladder (`league.sums`).
--
-- A line of sums is nine whole numbers of eight bytes, the highest first, exact up to 2^53: matches, two counts, groups,
-- deals, points, and over groups the sums of deals², deals·points and points². What each line has of a duplicate group is
-- kept in the group's own hash, as matches, deals and points, since squares grow by more than a match's own.
--
-- change(sums, line, group, sign, grown)
--   sums   key of the hash of lines        line  its field
--   group  key of the hash of the group, '' where the match is of none and so all there is of its group
--   sign   1 if a match is added, -1 if it is taken back
--   grown  its matches (1), two counts, deals and points
local LINE, OF_GROUP = '>i8i8i8i8i8i8i8i8i8', '>i8i8i8'

local function change(sums, line, group, sign, grown)
  local m, a, b, deals, points = grown[1], grown[2], grown[3], grown[4], grown[5]
  local M, A, B, G, D, P, DD, DP, PP = 0, 0, 0, 0, 0, 0, 0, 0, 0
  local raw = redis.call('HGET', sums, line)
  if raw then M, A, B, G, D, P, DD, DP, PP = struct.unpack(LINE, raw) end
  local m0, d0, p0 = 0, 0, 0
  local of = string.match(sums, '}:(.*)$') .. ' ' .. line
  if group ~= '' then
    local had = redis.call('HGET', group, of)
    if had then m0, d0, p0 = struct.unpack(OF_GROUP, had) end
  elseif sign < 0 then
    m0, d0, p0 = m, deals, points
  end
  local m1, d1, p1 = m0 + sign * m, d0 + sign * deals, p0 + sign * points
  if group ~= '' then
    if m1 == 0 then redis.call('HDEL', group, of) else redis.call('HSET', group, of, struct.pack(OF_GROUP, m1, d1, p1)) end
  end
  G = G + (m1 > 0 and 1 or 0) - (m0 > 0 and 1 or 0)
  redis.call('HSET', sums, line, struct.pack(LINE, M + sign * m, A + sign * a, B + sign * b, G, D + d1 - d0, P + p1 - p0,
    DD + d1 * d1 - d0 * d0, DP + d1 * p1 - d0 * p0, PP + p1 * p1 - p0 * p0))
end

-- The same for the lines that stand in ARGV from `first` on: number of the key of the sums, line, and what it grows by.
local function change_all(group, sign, first)
  for i = first, #ARGV, 7 do
    local grown = {}
    for j = 1, 5 do grown[j] = tonumber(ARGV[i + 1 + j]) end
    change(KEYS[tonumber(ARGV[i])], ARGV[i + 1], group, sign, grown)
  end
end
