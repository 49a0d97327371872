-- Stores the verdict of a conformance check, once, and ends the check. A pass forgets the bot's matches up to the end of
-- the check's match, and ends a suspension that the later ones don't justify. Needs bad_in_a_row.lua.
--
-- KEYS: matches of running checks (hash bot -> match); the check (hash); the health of the bot (hash); its last matches
-- ARGV: the bot id; the match of the check; the verdict (JSON); the note of a pass (JSON), or '' if not passed; the end of
--       the match in ms; how many bad matches in a row suspend a bot
-- Returns the stored verdict, or nil if the check has expired.
local checks_key, check_key, health_key, matches_key = unpack(KEYS)
local bot, match, verdict, passed, ended, limit = unpack(ARGV)

if redis.call('EXISTS', check_key) == 0 then return false end
if redis.call('HSETNX', check_key, 'verdict', verdict) == 1 and passed ~= '' then
  redis.call('HSET', health_key, 'passed', passed, 'since', ended)
  redis.call('ZREMRANGEBYSCORE', matches_key, '-inf', ended)
  if not has_bad_row(matches_key, tonumber(limit)) then redis.call('HDEL', health_key, 'suspended') end
end
if redis.call('HGET', checks_key, bot) == match then redis.call('HDEL', checks_key, bot) end
return redis.call('HGET', check_key, 'verdict')
