-- Stores rules of a ladder, all of them, unless it would then have too many.
--
-- KEYS: the rules (hash)
-- ARGV: how many rules a ladder may have; then for each rule the name of an owner or bot and the rule (JSON)
-- Returns 1; 0 if the ladder would have too many, and nothing has changed.
local rules_key = KEYS[1]
local most = tonumber(ARGV[1])
local FIRST_NAME = 2

local count, added = redis.call('HLEN', rules_key), {}
for i = FIRST_NAME, #ARGV, 2 do
  local name = ARGV[i]
  if not added[name] and redis.call('HEXISTS', rules_key, name) == 0 then
    added[name] = true
    count = count + 1
    if count > most then return 0 end
  end
end
for i = FIRST_NAME, #ARGV, 2 do redis.call('HSET', rules_key, ARGV[i], ARGV[i + 1]) end
return 1
