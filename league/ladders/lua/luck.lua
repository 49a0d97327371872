-- Prepended to scripts that concern the luck in a ladder's sums (`league.ladders.adjusted_points`). Luck is known by unit, which is a
-- duplicate group or a match of none, and later than its points.
--
-- A line of luck is fifteen whole numbers of eight bytes, the highest first, exact up to 2^53: units, over these the sums
-- of deals, points, luck and slant, and of the product of each two of them. A bot has five, one for each fold.
--
-- luck_added(sums, added, sign)
--   sums   key of the hash bot -> its lines of luck
--   added  [fold, [bot, deals, points, luck, slant], …] as JSON, what a unit adds (sign 1) or had added (-1)
-- luck_due(wait, of, sums, unit): what is known of a unit's luck is taken back, since its matches have changed; it waits
--   to be reckoned anew, unless too many wait. Whoever reckons shows the stamp that it waits with.
--   wait   key of the hash unit -> stamp; '' -> the last stamp       of  key of the hash unit -> what it added
local LUCK = '>' .. string.rep('i8', 15)
local MOST_WAITING = 10000

local function luck_added(sums, added, sign)
  local said = cjson.decode(added)
  local first = 120 * said[1]
  for i = 2, #said do
    local line = said[i]
    local raw = redis.call('HGET', sums, line[1]) or string.rep('\0', 600)
    local kept = {struct.unpack(LUCK, raw, first + 1)}
    kept[1] = kept[1] + sign
    local at = 5
    for j = 2, 5 do
      kept[j] = kept[j] + sign * line[j]
      for k = j, 5 do
        at = at + 1
        kept[at] = kept[at] + sign * line[j] * line[k]
      end
    end
    local new = struct.pack(LUCK, unpack(kept, 1, 15))
    redis.call('HSET', sums, line[1], string.sub(raw, 1, first) .. new .. string.sub(raw, first + 121))
  end
end

local function luck_due(wait, of, sums, unit)
  local added = redis.call('HGET', of, unit)
  if added then
    luck_added(sums, added, -1)
    redis.call('HDEL', of, unit)
  end
  if redis.call('HLEN', wait) <= MOST_WAITING or redis.call('HEXISTS', wait, unit) == 1 then
    redis.call('HSET', wait, unit, redis.call('HINCRBY', wait, '', 1))
  end
end
