-- A check is decided: once, and its bot is in it no longer. Passing it ends a suspension and forgives what was before.
--
-- KEYS 1 matches of checks by bot  2 the check  3 health of the bot  4 its last matches
-- ARGV 1 bot id  2 match of the check  3 verdict (JSON)  4 what passing is noted as (JSON), or '' where it is not passed
--      5 when the match ended, in ms
-- returns the verdict that stands, or nil where the check is no longer kept
if redis.call('EXISTS', KEYS[2]) == 0 then return false end
if redis.call('HSETNX', KEYS[2], 'verdict', ARGV[3]) == 1 and ARGV[4] ~= '' then
  redis.call('HSET', KEYS[3], 'passed', ARGV[4], 'since', ARGV[5])
  redis.call('HDEL', KEYS[3], 'suspended')
  redis.call('DEL', KEYS[4])
end
if redis.call('HGET', KEYS[1], ARGV[1]) == ARGV[2] then redis.call('HDEL', KEYS[1], ARGV[1]) end
return redis.call('HGET', KEYS[2], 'verdict')
