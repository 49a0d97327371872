-- Prepended to scripts that change the sums of a ladder (`league.ladders.totals`).
--
-- A line of sums is nine whole numbers of eight bytes, the highest first, exact up to 2^53: matches, two counts, groups,
-- deals, points, and over groups the sums of deals², deals·points and points². What each line has of a duplicate group is
-- kept in the group's own hash, as matches, deals and points, since squares grow by more than a match's own.
--
-- Changes are gathered first, and each line is read and written once for all of them:
--
-- gather(group, sign, lines)
--   group  number of the key of the hash of the group, 0 where the match is of none and so all there is of its group
--   sign   1 if a match is added, -1 if it is taken back
--   lines  [number of the key of the sums, line, two counts, deals, points, its matches (1)], …: what they grow by
-- change_gathered()
local LINE, OF_GROUP = '>i8i8i8i8i8i8i8i8i8', '>i8i8i8'
local grown, of_groups, names = {}, {}, {}

-- What was gathered at two places: `order` has the second ones as they came.
local function place(where, first, second)
  local at = where[first]
  if not at then
    at = {order = {}}
    where[first] = at
  end
  local it = at[second]
  if not it then
    it = {0, 0, 0, 0, 0, 0, 0, 0, 0}
    at[second] = it
    at.order[#at.order + 1] = second
  end
  return it
end

-- A line's name in the hash of a group.
local function name_of(sums, line)
  names[sums] = names[sums] or string.match(KEYS[sums], '}:(.*)$') .. ' '
  return names[sums] .. line
end

local function gather(group, sign, lines)
  for _, said in ipairs(lines) do
    local sums, line, d, p = said[1], said[2], sign * said[5], sign * said[6]
    local it = place(grown, sums, line)
    it[1], it[2], it[3] = it[1] + sign * said[7], it[2] + sign * said[3], it[3] + sign * said[4]
    it[5], it[6] = it[5] + d, it[6] + p
    if group == 0 then
      it[4] = it[4] + sign
      it[7], it[8], it[9] = it[7] + sign * d * d, it[8] + sign * d * p, it[9] + sign * p * p
    else
      local its = place(of_groups, group, name_of(sums, line))
      its[1], its[2], its[3], its.grown = its[1] + sign * said[7], its[2] + d, its[3] + p, it
    end
  end
end

local function change_gathered()
  for group, of in pairs(of_groups) do
    local had, new = redis.call('HMGET', KEYS[group], unpack(of.order)), {}
    for i, name in ipairs(of.order) do
      local its = of[name]
      local it = its.grown
      local m0, d0, p0 = 0, 0, 0
      if had[i] then m0, d0, p0 = struct.unpack(OF_GROUP, had[i]) end
      local m1, d1, p1 = m0 + its[1], d0 + its[2], p0 + its[3]
      it[4] = it[4] + (m1 > 0 and 1 or 0) - (m0 > 0 and 1 or 0)
      it[7], it[8], it[9] = it[7] + d1 * d1 - d0 * d0, it[8] + d1 * p1 - d0 * p0, it[9] + p1 * p1 - p0 * p0
      if m1 == 0 then
        redis.call('HDEL', KEYS[group], name)
      else
        new[#new + 1] = name
        new[#new + 1] = struct.pack(OF_GROUP, m1, d1, p1)
      end
    end
    if #new > 0 then redis.call('HSET', KEYS[group], unpack(new)) end
  end
  for sums, of in pairs(grown) do
    local had, new = redis.call('HMGET', KEYS[sums], unpack(of.order)), {}
    for i, line in ipairs(of.order) do
      local it = of[line]
      if had[i] then
        local kept = {struct.unpack(LINE, had[i])}
        for j = 1, 9 do it[j] = it[j] + kept[j] end
      end
      new[2 * i - 1], new[2 * i] = line, struct.pack(LINE, unpack(it))
    end
    redis.call('HSET', KEYS[sums], unpack(new))
  end
end
