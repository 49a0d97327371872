-- Prepended to scripts that change the sums of a ladder (`league.sums`).
--
-- A line of sums is nine whole numbers of eight bytes, the highest first, exact up to 2^53: matches, two counts, groups,
-- deals, points, and over groups the sums of deals², deals·points and points². What each line has of a duplicate group is
-- kept in the group's own hash, as matches, deals and points, since squares grow by more than a match's own.
--
-- Changes are gathered first, and each line is read and written once for all of them:
--
-- gather(group, sign, first, lines)
--   group  key of the hash of the group, '' where the match is of none and so all there is of its group
--   sign   1 if a match is added, -1 if it is taken back
--   first  where its lines begin in ARGV, `lines` many: number of the key of the sums, line, its matches (1), two counts,
--          deals and points
-- change_gathered()
local LINE, OF_GROUP = '>i8i8i8i8i8i8i8i8i8', '>i8i8i8'
local grown, of_groups = {}, {}

-- What was gathered by two names: where they stand in the order in which they came, and whatever `new` made of them.
local function found(where, key, name, new)
  local at = where[key]
  if not at then
    at = {names = {}, by_name = {}}
    where[key] = at
  end
  local it = at.by_name[name]
  if not it then
    it = new
    at.by_name[name] = it
    at.names[#at.names + 1] = name
  end
  return it
end

local function grow(sums, line, by)
  local it = found(grown, sums, line, {0, 0, 0, 0, 0, 0, 0, 0, 0})
  for i = 1, 9 do it[i] = it[i] + by[i] end
end

local function gather(group, sign, first, lines)
  for i = first, first + 7 * (lines - 1), 7 do
    local sums, line = KEYS[tonumber(ARGV[i])], ARGV[i + 1]
    local m, a, b = sign * tonumber(ARGV[i + 2]), sign * tonumber(ARGV[i + 3]), sign * tonumber(ARGV[i + 4])
    local d, p = tonumber(ARGV[i + 5]), tonumber(ARGV[i + 6])
    if group == '' then
      grow(sums, line, {m, a, b, sign, sign * d, sign * p, sign * d * d, sign * d * p, sign * p * p})
    else
      local it = found(of_groups, group, string.match(sums, '}:(.*)$') .. ' ' .. line, {0, 0, 0, sums, line})
      it[1], it[2], it[3] = it[1] + m, it[2] + sign * d, it[3] + sign * p
      grow(sums, line, {m, a, b, 0, sign * d, sign * p, 0, 0, 0})
    end
  end
end

local function change_gathered()
  for group, of in pairs(of_groups) do
    local had, new = redis.call('HMGET', group, unpack(of.names)), {}
    for i, name in ipairs(of.names) do
      local it = of.by_name[name]
      local m0, d0, p0 = 0, 0, 0
      if had[i] then m0, d0, p0 = struct.unpack(OF_GROUP, had[i]) end
      local m1, d1, p1 = m0 + it[1], d0 + it[2], p0 + it[3]
      if m1 == 0 then
        redis.call('HDEL', group, name)
      else
        new[#new + 1] = name
        new[#new + 1] = struct.pack(OF_GROUP, m1, d1, p1)
      end
      grow(it[4], it[5], {0, 0, 0, (m1 > 0 and 1 or 0) - (m0 > 0 and 1 or 0), 0, 0,
        d1 * d1 - d0 * d0, d1 * p1 - d0 * p0, p1 * p1 - p0 * p0})
    end
    if #new > 0 then redis.call('HSET', group, unpack(new)) end
  end
  for sums, of in pairs(grown) do
    local had, new = redis.call('HMGET', sums, unpack(of.names)), {}
    for i, line in ipairs(of.names) do
      local by = of.by_name[line]
      if had[i] then
        local kept = {struct.unpack(LINE, had[i])}
        for j = 1, 9 do by[j] = by[j] + kept[j] end
      end
      new[2 * i - 1], new[2 * i] = line, struct.pack(LINE, unpack(by, 1, 9))
    end
    redis.call('HSET', sums, unpack(new))
  end
end
