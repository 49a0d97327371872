-- Stores a rule of a ladder, unless it would have too many.
--
-- KEYS: the rules (hash)
-- ARGV: the name of an owner or bot; the rule (JSON); how many rules a ladder may have
-- Returns 1; 0 if the ladder is full, and nothing has changed.
local rules_key = KEYS[1]
local name, rule, most = ARGV[1], ARGV[2], tonumber(ARGV[3])

if redis.call('HEXISTS', rules_key, name) == 0 and redis.call('HLEN', rules_key) >= most then return 0 end
redis.call('HSET', rules_key, name, rule)
return 1
