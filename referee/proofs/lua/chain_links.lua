-- The places of records in the chain.
--
-- KEYS 1 numbers by match id (hash)  2 all links, 32 bytes each, one after another (string)
-- ARGV match ids
-- returns for each {number, link before, link}, with '' for the link before the first; {} if it is not in the chain
local found = {}
for i, number in ipairs(redis.call('HMGET', KEYS[1], unpack(ARGV))) do
  found[i] = {}
  if number then
    local at = tonumber(number) * 32
    local before = at > 32 and redis.call('GETRANGE', KEYS[2], at - 64, at - 33) or ''
    found[i] = {tonumber(number), before, redis.call('GETRANGE', KEYS[2], at - 32, at - 1)}
  end
end
return found
