-- Functions for scripts that change the luck sums of a ladder (`league.ladders.adjusted_points`). Luck is kept by unit:
-- a duplicate group, or a match outside groups. It becomes known later than the unit's points.
--
-- A line of luck is fifteen big-endian integers of eight bytes, exact up to 2^53: the number of units; the sums of deals,
-- points, luck and slant over them; and the sums of the products of each two of these. A bot has five lines, one per fold.
--
-- luck_added(luck_key, contribution, sign)
--   luck_key      hash bot -> its lines of luck
--   contribution  JSON [fold, [bot, deals, points, luck, slant], …], to be added (sign 1) or subtracted (sign -1)
-- luck_due(waiting_key, contributions_key, luck_key, unit): subtracts the unit's contribution, since its matches changed,
--   and makes it wait for a recomputation with a new stamp, unless too many units wait
--   waiting_key        hash unit -> stamp; the field '' holds the last stamp
--   contributions_key  hash unit -> the contribution that was added
local LUCK = '>' .. string.rep('i8', 15)
local MOST_WAITING = 10000

local function luck_added(luck_key, contribution, sign)
  local decoded = cjson.decode(contribution)
  local first = 120 * decoded[1]
  for i = 2, #decoded do
    local line = decoded[i]
    local raw = redis.call('HGET', luck_key, line[1]) or string.rep('\0', 600)
    local sums = {struct.unpack(LUCK, raw, first + 1)}
    sums[1] = sums[1] + sign
    local at = 5
    for j = 2, 5 do
      sums[j] = sums[j] + sign * line[j]
      for k = j, 5 do
        at = at + 1
        sums[at] = sums[at] + sign * line[j] * line[k]
      end
    end
    local packed = struct.pack(LUCK, unpack(sums, 1, 15))
    redis.call('HSET', luck_key, line[1], string.sub(raw, 1, first) .. packed .. string.sub(raw, first + 121))
  end
end

local function luck_due(waiting_key, contributions_key, luck_key, unit)
  local contribution = redis.call('HGET', contributions_key, unit)
  if contribution then
    luck_added(luck_key, contribution, -1)
    redis.call('HDEL', contributions_key, unit)
  end
  if redis.call('HLEN', waiting_key) <= MOST_WAITING or redis.call('HEXISTS', waiting_key, unit) == 1 then
    redis.call('HSET', waiting_key, unit, redis.call('HINCRBY', waiting_key, '', 1))
  end
end
