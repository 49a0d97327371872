-- Functions for scripts that change the totals of a ladder (`league.ladders.model`).
--
-- A line of totals is nine big-endian integers of eight bytes, exact up to 2^53: matches, two counts, groups, deals,
-- points, and over groups the sums of deals², deals·points and points². Squares depend on a whole group, so the hash of
-- each duplicate group holds its share of each line: matches, deals and points.
--
-- Changes are gathered first; then each line is read and written once.
--
-- gather(group, sign, lines)
--   group  index in KEYS of the hash of the match's group, or 0 for a match outside groups
--   sign   1 to add a match, -1 to subtract it
--   lines  [index in KEYS of the totals, line, first count, second count, deals, points, matches (1)], …
-- change_gathered() writes the changes.
local LINE, OF_GROUP = '>i8i8i8i8i8i8i8i8i8', '>i8i8i8'
local line_changes, group_changes, prefixes = {}, {}, {}

-- The change of a field of a key, created on first use; `order` lists the fields of a key by first use.
local function change_of(changes, key_index, field)
  local fields = changes[key_index]
  if not fields then
    fields = {order = {}}
    changes[key_index] = fields
  end
  local change = fields[field]
  if not change then
    change = {0, 0, 0, 0, 0, 0, 0, 0, 0}
    fields[field] = change
    fields.order[#fields.order + 1] = field
  end
  return change
end

-- The name of a line in the hash of a group.
local function name_of(totals, line)
  prefixes[totals] = prefixes[totals] or string.match(KEYS[totals], '}:(.*)$') .. ' '
  return prefixes[totals] .. line
end

local function gather(group, sign, lines)
  for _, entry in ipairs(lines) do
    local totals, line, first, second, deals, points, matches = unpack(entry)
    deals, points, matches = sign * deals, sign * points, sign * matches
    local change = change_of(line_changes, totals, line)
    change[1], change[2], change[3] = change[1] + matches, change[2] + sign * first, change[3] + sign * second
    change[5], change[6] = change[5] + deals, change[6] + points
    if group == 0 then
      change[4] = change[4] + sign
      change[7] = change[7] + sign * deals * deals
      change[8] = change[8] + sign * deals * points
      change[9] = change[9] + sign * points * points
    else
      local share = change_of(group_changes, group, name_of(totals, line))
      share[1], share[2], share[3] = share[1] + matches, share[2] + deals, share[3] + points
      share.line_change = change
    end
  end
end

-- Updates the shares of the groups, and with them the sums of squares in the changes of the lines.
local function change_groups()
  for group, shares in pairs(group_changes) do
    local stored, new = redis.call('HMGET', KEYS[group], unpack(shares.order)), {}
    for i, name in ipairs(shares.order) do
      local share = shares[name]
      local change = share.line_change
      local m0, d0, p0 = 0, 0, 0
      if stored[i] then m0, d0, p0 = struct.unpack(OF_GROUP, stored[i]) end
      local m1, d1, p1 = m0 + share[1], d0 + share[2], p0 + share[3]
      change[4] = change[4] + (m1 > 0 and 1 or 0) - (m0 > 0 and 1 or 0)
      change[7] = change[7] + d1 * d1 - d0 * d0
      change[8] = change[8] + d1 * p1 - d0 * p0
      change[9] = change[9] + p1 * p1 - p0 * p0
      if m1 == 0 then
        redis.call('HDEL', KEYS[group], name)
      else
        new[#new + 1] = name
        new[#new + 1] = struct.pack(OF_GROUP, m1, d1, p1)
      end
    end
    if #new > 0 then redis.call('HSET', KEYS[group], unpack(new)) end
  end
end

local function change_gathered()
  change_groups()
  for totals, changes in pairs(line_changes) do
    local stored, new = redis.call('HMGET', KEYS[totals], unpack(changes.order)), {}
    for i, line in ipairs(changes.order) do
      local change = changes[line]
      if stored[i] then
        local before = {struct.unpack(LINE, stored[i])}
        for j = 1, 9 do change[j] = change[j] + before[j] end
      end
      new[2 * i - 1], new[2 * i] = line, struct.pack(LINE, unpack(change))
    end
    redis.call('HSET', KEYS[totals], unpack(new))
  end
end
