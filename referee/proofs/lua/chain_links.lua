-- Return the positions of records in the chain.
--
-- KEYS 1 numbers by match id (hash)
--      2 links after the archived ones, 32 bytes each, one after another (string)
--      3 number and link of the record before the first of these links (hash)
-- ARGV match ids
-- returns {number, previous link, link} for each match id, {} if its record isn't in this part of the
--         chain. The link before the first one is ''
local numbers_key, links_key, base_key, ids = KEYS[1], KEYS[2], KEYS[3], ARGV

local base, base_link = unpack(redis.call('HMGET', base_key, 'number', 'link'))
local positions = {}
for i, number in ipairs(redis.call('HMGET', numbers_key, unpack(ids))) do
  positions[i] = {}
  local stop = number and (tonumber(number) - tonumber(base or '0')) * 32 or 0
  if stop > 0 then
    local previous = stop > 32 and redis.call('GETRANGE', links_key, stop - 64, stop - 33) or base_link or ''
    positions[i] = {tonumber(number), previous, redis.call('GETRANGE', links_key, stop - 32, stop - 1)}
  end
end
return positions
