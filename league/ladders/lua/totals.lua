-- Functions for scripts that change the totals of a ladder (`league.ladders.model`).
--
-- A line of totals is nine big-endian integers of eight bytes, exact up to 2^53: matches, two counts, groups, deals,
-- points, and over groups the sums of deals², deals·points and points².
--
-- Changes are gathered first; then each line is read and written once.
--
-- gather(sign, lines)
--   sign   1 to add a unit, -1 to subtract it
--   lines  [index in KEYS of the totals, line, the nine numbers], …
-- change_gathered() writes the changes.
local LINE, NUMBERS = '>i8i8i8i8i8i8i8i8i8', 9
local changes = {}

local function gather(sign, lines)
  for _, entry in ipairs(lines) do
    local totals, line = entry[1], entry[2]
    changes[totals] = changes[totals] or {}
    local change = changes[totals][line] or {0, 0, 0, 0, 0, 0, 0, 0, 0}
    for i = 1, NUMBERS do change[i] = change[i] + sign * entry[2 + i] end
    changes[totals][line] = change
  end
end

local function change_gathered()
  for totals, lines in pairs(changes) do
    local names, new = {}, {}
    for line in pairs(lines) do names[#names + 1] = line end
    local stored = redis.call('HMGET', KEYS[totals], unpack(names))
    for i, line in ipairs(names) do
      local change = lines[line]
      if stored[i] then
        local before = {struct.unpack(LINE, stored[i])}
        for j = 1, NUMBERS do change[j] = change[j] + before[j] end
      end
      new[2 * i - 1], new[2 * i] = line, struct.pack(LINE, unpack(change))
    end
    redis.call('HSET', KEYS[totals], unpack(new))
  end
end
