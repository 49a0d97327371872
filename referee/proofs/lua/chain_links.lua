-- Return the positions of records in the chain.
--
-- KEYS 1 numbers by match id (hash)
--      2 all links, 32 bytes each, one after another (string)
-- ARGV match ids
-- returns {number, previous link, link} for each match id, {} if its record isn't in the chain. The link before the
--         first one is ''
local numbers_key, links_key, ids = KEYS[1], KEYS[2], ARGV

local positions = {}
for i, number in ipairs(redis.call('HMGET', numbers_key, unpack(ids))) do
  positions[i] = {}
  if number then
    local stop = tonumber(number) * 32
    local previous = stop > 32 and redis.call('GETRANGE', links_key, stop - 64, stop - 33) or ''
    positions[i] = {tonumber(number), previous, redis.call('GETRANGE', links_key, stop - 32, stop - 1)}
  end
end
return positions
