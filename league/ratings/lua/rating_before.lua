-- The ratings of bots before a group: those after the group before it in each bot's own log.
--
-- KEYS 1 ratings after each group (hash `group bot` -> JSON)  2 … logs of the bots
-- ARGV 1 group  2 … the bots, in the order of their logs
-- returns for each bot JSON, or '' if it has played nothing before
local found = {}
for i = 2, #KEYS do
  local at = redis.call('ZRANK', KEYS[i], ARGV[1])
  local before = at and at > 0 and redis.call('ZRANGE', KEYS[i], at - 1, at - 1)[1]
  found[#found + 1] = before and redis.call('HGET', KEYS[1], before .. ' ' .. ARGV[i]) or ''
end
return found
