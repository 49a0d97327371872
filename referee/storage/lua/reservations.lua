-- Functions for the reserved slots of a bot: a zset of `MATCH/HOLDER` by the instant in ms at which each expires. A
-- holder is one attempt to create the match.

local function reserved_match(reservation)
  return string.match(reservation, '^[^/]+')
end

local function drop_reservations(reserved_key, match)
  for _, reservation in ipairs(redis.call('ZRANGE', reserved_key, 0, -1)) do
    if reserved_match(reservation) == match then redis.call('ZREM', reserved_key, reservation) end
  end
end
